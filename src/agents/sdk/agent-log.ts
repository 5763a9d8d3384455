/** The agent's own log: JSON lines on stderr, which the host parses. Output of services never goes here. */

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** One line; an error brings its stack. */
export function agentLog(level: Level, message: string, error?: unknown): void {
  const stack =
    error instanceof Error ? (error.stack ?? error.message) : error === undefined ? undefined : String(error);
  const line = { time: new Date().toISOString(), level, message, ...(stack !== undefined && { stack }) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
