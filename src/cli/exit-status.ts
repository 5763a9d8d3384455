/** How a command ends (U-2). */

export const exitStatus = {
  done: 0,
  failed: 1,
  /** A wrong command line, or an invalid workspace. */
  usage: 2,
  recoveryRequired: 3,
  /** By Ctrl-C, SIGTERM, SIGHUP, or an output that was closed. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/**
 * The status of an error by its code: what has to be written differently (the workspace, its references, a setting of an
 * agent, the command line) is `usage`; all else is a failure.
 */
export function exitStatusOf(code: string): ExitStatus {
  return /^SK(10|11[01]|155)/.test(code) || usageCodes.has(code) ? exitStatus.usage : exitStatus.failed;
}

/** Outside those ranges: ports written twice or wrongly, agents that are none, services that are not there, choices of services that cannot be had. */
const usageCodes: ReadonlySet<string> = new Set([
  'SK1201',
  'SK1203',
  'SK1301',
  'SK1302',
  'SK1305',
  'SK1306',
  'SK1330',
  'SK1331',
  'SK1332',
  'SK1403',
  'SK1405',
  'SK1412',
  'SK1413',
  'SK1507',
  'SK1508',
]);
