/** `skein logs`: the output of services, of a live run through its API, of an ended one from its files (U-14). */
import { create } from '@bufbuild/protobuf';
import {
  connectToRun,
  latestRun,
  logMessages,
  logsFolder,
  type RunRecord,
  readEndedLogs,
} from '../../control/index.ts';
import { nearest, SkeinError } from '../../errors/index.ts';
import { type LogChunk, LogChunkSchema } from '../../gen/skein/control/v1/control_pb.js';
import { stripAnsi } from '../../processes/index.ts';
import { findWorkspace, type ServiceId } from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { hasColour, palette } from '../view/colours.ts';
import { logDocuments } from '../view/documents.ts';
import { follow } from '../view/following.ts';
import { OutputLines } from '../view/output-lines.ts';
import { warn } from './live-run.ts';

export interface LogsOptions extends CommonOptions {
  readonly follow?: true;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly tail?: number;
  readonly grep?: string;
}

export async function logs(services: readonly string[], options: LogsOptions): Promise<ExitStatus> {
  const root = findWorkspace(options.cwd);
  const matches = matcher(options.grep);
  const record = await runWithOutput(root);
  const wanted = services.map((service) => serviceOf(record, service));
  using following = follow({ quiet: options.follow ?? false });
  const { writer, signal } = following;
  const format = formatter(record, options);
  for await (const chunks of await chunksOf(root, record, wanted, options, signal)) {
    const text = chunks.flatMap((chunk) => matching(chunk, matches)).map(format.chunk);
    await writer.write(text.join(''));
    if (signal.aborted) break;
  }
  await writer.write(format.rest());
  return exitStatus.done;
}

/** @throws {SkeinError} SK1513 where there is none, SK1515 where all are damaged. */
async function runWithOutput(root: string): Promise<RunRecord> {
  const { record, damaged } = await latestRun(root);
  const [newest] = damaged;
  if (record === undefined)
    throw newest ?? new SkeinError('SK1513', `no run of the workspace in ${root} has left output`);
  damaged.forEach(warn);
  if (newest !== undefined) process.stderr.write(`this is the output of run ${record.run}, which is older\n`);
  return record;
}

type Chunks = AsyncIterable<readonly LogChunk[]>;

async function chunksOf(
  root: string,
  record: RunRecord,
  services: readonly ServiceId[],
  options: LogsOptions,
  signal: AbortSignal,
): Promise<Chunks> {
  const connection = await connectToRun(root);
  if (connection === undefined) return endedChunks(root, record, services, options);
  const { follow = false, since, tail } = options;
  const request = {
    services: [...services],
    follow,
    sinceUnixMs: BigInt(since),
    ...(tail !== undefined && { tail }),
  };
  return liveChunks(connection.client.logs(request, { signal }), signal);
}

async function* liveChunks(
  answers: AsyncIterable<{ chunks: LogChunk[] }>,
  signal: AbortSignal,
): Chunks & AsyncGenerator<LogChunk[]> {
  try {
    for await (const { chunks } of answers) yield chunks;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* endedChunks(
  root: string,
  record: RunRecord,
  services: readonly ServiceId[],
  { since, tail }: LogsOptions,
): AsyncGenerator<readonly LogChunk[]> {
  const files = new Map(Object.entries(record.logs) as [ServiceId, string][]);
  const query = {
    sinceMs: since,
    ...(services.length > 0 && { services: new Set(services) }),
    ...(tail !== undefined && { tail }),
  };
  for await (const chunks of readEndedLogs(logsFolder(root, record.run), files, query))
    yield chunks.flatMap(logMessages).map((chunk) => create(LogChunkSchema, chunk));
}

/** By the services of that run, which the workspace may have lost since. @throws {SkeinError} SK1507 */
function serviceOf(record: RunRecord, written: string): ServiceId {
  const ids = Object.keys(record.logs) as ServiceId[];
  const matches = ids.filter((id) => id === written || id.endsWith(`/${written}`));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  if (only !== undefined)
    throw new SkeinError(
      'SK1507',
      `\`${written}\` names several services of run ${record.run}: ${matches.join(', ')}`,
    );
  const guess = nearest(written, written.includes('/') ? ids : ids.map((id) => id.split('/')[1] ?? id));
  const hint = guess === undefined ? '' : `; did you mean \`${guess}\`?`;
  throw new SkeinError('SK1507', `run ${record.run} has no service \`${written}\`${hint}`);
}

function formatter(
  record: RunRecord,
  options: LogsOptions,
): { readonly chunk: (chunk: LogChunk) => string; readonly rest: () => string } {
  if (options.json) {
    const chunk = (each: LogChunk): string =>
      logDocuments(each)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    return { chunk, rest: () => '' };
  }
  const ids = Object.keys(record.logs);
  const names = ids.map((id) => id.split('/')[1] ?? id);
  const colour = hasColour(process.stdout, options.color, process.env);
  const lines = new OutputLines({
    services: ids,
    nameOf: (id) => {
      const name = id.split('/')[1] ?? id;
      return names.filter((other) => other === name).length > 1 ? id : name;
    },
    palette: palette(colour),
    colours: colour,
  });
  return { chunk: (chunk) => lines.lines(chunk), rest: () => lines.rest() };
}

/** @throws {SkeinError} SK1552 for what is no regular expression. */
function matcher(pattern: string | undefined): ((line: string) => boolean) | undefined {
  if (pattern === undefined) return undefined;
  try {
    const expression = new RegExp(pattern);
    return (line) => expression.test(stripAnsi(line));
  } catch (cause) {
    throw new SkeinError('SK1552', `--grep ${pattern} is no regular expression`, { cause });
  }
}

function matching(chunk: LogChunk, matches: ((line: string) => boolean) | undefined): LogChunk[] {
  if (matches === undefined) return [chunk];
  const lines = chunk.text.split('\n').filter(matches);
  return lines.length === 0 ? [] : [{ ...chunk, text: lines.join('\n') }];
}
