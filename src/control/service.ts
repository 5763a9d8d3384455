/** ControlService over a run: what every view, editor and test talks to (U-9). */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { SkeinError } from '../errors/index.ts';
import {
  type ControlService,
  type LogsRequest,
  LogsResponseSchema,
} from '../gen/skein/control/v1/control_pb.js';
import type { Receipt, Run } from '../orchestration/index.ts';
import { resolveServiceName, type ServiceId } from '../workspace/index.ts';
import { EventTranslator } from './event-messages.ts';
import { eventBatches } from './event-stream.ts';
import type { LogQuery } from './logs/cursor.ts';
import type { LogStore } from './logs/log-store.ts';
import {
  configurationMessage,
  logMessages,
  receiptMessage,
  snapshotMessage,
  whyMessage,
} from './messages.ts';
import { toConnectError } from './remote-errors.ts';
import { Timeline } from './timeline.ts';

export type ControlImplementation = Pick<
  ServiceImpl<typeof ControlService>,
  keyof ServiceImpl<typeof ControlService>
>;

/** The implementation holds the run's events for the timeline until it is disposed of. */
export function controlService(run: Run, logs: LogStore): ControlImplementation & Disposable {
  const timeline = new Timeline();
  const subscription = run.onEvent((event) => timeline.add(event), 0);
  const service = (written: string): ServiceId => serviceOfRun(run, written);
  const dependencies = (id: ServiceId): readonly ServiceId[] =>
    run.snapshot().services.get(id)?.dependencies ?? [];
  return {
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
    getSnapshot: () => ({ run: snapshotMessage(run.snapshot(), Date.now()) }),
    watchEvents: ({ afterSequence }, { signal }) => stream(watchEvents(run, afterSequence, signal)),
    logs: (request, { signal }) => stream(readLogs(logs, queryOf(request, service), signal)),
    start: answer(async ({ services }: { services: string[] }, { signal }) => {
      if (services.length === 0) throw new SkeinError('SK1508', 'no service to start was named');
      await run.startServices(services.map(service), signal);
      return {};
    }),
    restart: answer(async (request: { service: string }, { signal }) => {
      const id = service(request.service);
      await run.restart(id, signal);
      const pid = run.snapshot().services.get(id)?.pid ?? null;
      return pid === null ? {} : { pid };
    }),
    stop: answer(async (request: { services: string[]; only: boolean; budgetMs?: number | undefined }) => {
      const receipt = await stop(run, request.services.map(service), request);
      return { receipt: receiptMessage(receipt) };
    }),
    extend: answer(() => {
      throw new SkeinError(
        'SK1510',
        'a running run is extended by a later version of skein, not by this one',
      );
    }),
    why: answer((request: { service: string }) => {
      const { services } = run.snapshot();
      const links = run.why(service(request.service));
      return { chain: links.map((link) => whyMessage(link, services.get(link.service)?.state, Date.now())) };
    }),
    getConfiguration: answer((request: { service: string }) => ({
      entries: run.configuration(service(request.service)).map(configurationMessage),
    })),
    getTimeline: () => ({
      spans: timeline.spans(dependencies).map(({ startedAtMs, endedAtMs, ...span }) => ({
        ...span,
        startedAtUnixMs: BigInt(startedAtMs),
        ...(endedAtMs !== null && { endedAtUnixMs: BigInt(endedAtMs) }),
      })),
    }),
  };
}

/** The whole run where no service is named. */
function stop(
  run: Run,
  services: readonly ServiceId[],
  { only, budgetMs }: { only: boolean; budgetMs?: number | undefined },
): Promise<Receipt> {
  if (services.length > 0) return run.stopServices(services, { only });
  return run.stop({ cause: 'asked for by `skein stop`', ...(budgetMs !== undefined && { budgetMs }) });
}

/** @throws {SkeinError} SK1031, SK1032 from the workspace; SK1507 when the run does not have it. */
function serviceOfRun(run: Run, written: string): ServiceId {
  const id = resolveServiceName(run.workspace, written);
  if (!run.snapshot().services.has(id))
    throw new SkeinError('SK1507', `${id} is not part of run ${run.id}`, { place: { service: id } });
  return id;
}

function queryOf(request: LogsRequest, service: (written: string) => ServiceId): LogQuery {
  return {
    ...(request.services.length > 0 && { services: new Set(request.services.map(service)) }),
    follow: request.follow,
    sinceMs: Number(request.sinceUnixMs),
    ...(request.tail !== undefined && { tail: request.tail }),
  };
}

async function* watchEvents(
  run: Run,
  afterSequence: bigint,
  signal: AbortSignal,
): AsyncGenerator<{ events: NonNullable<ReturnType<EventTranslator['translate']>>[] }> {
  const translator = new EventTranslator();
  let last: number | undefined;
  // From the oldest on, whatever is asked for: the translation of an event depends on those before it.
  for await (const batch of eventBatches(run, signal)) {
    const oldest = batch[0]?.sequence ?? 0;
    const expected = last === undefined ? afterSequence : BigInt(last);
    // Who names no event to go on after is given what there is: a person's view must not end because it was paused.
    if (afterSequence > 0n && BigInt(oldest) > expected + 1n) throw forgotten(expected, oldest);
    last = batch.at(-1)?.sequence ?? last;
    const events = batch
      .map((event) => translator.translate(event))
      .filter((event) => event !== undefined)
      .filter((event) => event.sequence > afterSequence);
    if (events.length > 0) yield { events };
  }
}

function forgotten(after: bigint, oldest: number): SkeinError {
  return new SkeinError(
    'SK1514',
    `events ${after + 1n} to ${oldest - 1} of the run are not kept any more; the oldest that is kept is ${oldest}`,
  );
}

async function* readLogs(
  logs: LogStore,
  query: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<MessageInitShape<typeof LogsResponseSchema>> {
  for await (const batch of logs.read(query, signal))
    yield create(LogsResponseSchema, { chunks: batch.flatMap(logMessages) });
}

/** A unary method whose errors cross the channel whole. */
function answer<Request, Response>(
  method: (request: Request, context: HandlerContext) => Response | Promise<Response>,
): (request: Request, context: HandlerContext) => Promise<Response> {
  return async (request, context) => {
    try {
      return await method(request, context);
    } catch (error) {
      throw toConnectError(error);
    }
  };
}

async function* stream<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw toConnectError(error);
  }
}
