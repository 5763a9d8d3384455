/** ControlService over a run: what every view, editor and test talks to (U-9). */
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { SkeinError } from '../errors/index.ts';
import type { ControlService, LogsRequest } from '../gen/skein/control/v1/control_pb.js';
import type { Receipt, Run } from '../orchestration/index.ts';
import { resolveServiceName, type ServiceId } from '../workspace/index.ts';
import type { LogQuery } from './logs/cursor.ts';
import type { LogStore } from './logs/log-store.ts';
import { configurationMessage, receiptMessage, snapshotMessage, whyMessage } from './messages.ts';
import { toConnectError } from './remote-errors.ts';
import { readLogs, watchEvents } from './streams.ts';
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
    watchEvents: ({ afterSequence }, { signal }) =>
      stream(watchEvents(run, afterSequence, signal), (events) => ({ events })),
    logs: (request, { signal }) =>
      stream(readLogs(logs, queryOf(request, service), signal), (chunks) => ({ chunks })),
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
    extend: answer(async (request: { services: string[] }) => {
      const { joined, left, outdated, receipt } = await run.extend(request.services);
      return {
        joined: [...joined],
        left: [...left],
        outdated: [...outdated],
        ...(receipt !== null && { receipt: receiptMessage(receipt) }),
      };
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

/** Batches as messages, their errors whole. */
async function* stream<Item, Message>(
  batches: AsyncIterable<Item[]>,
  message: (batch: Item[]) => Message,
): AsyncGenerator<Message> {
  try {
    for await (const batch of batches) yield message(batch);
  } catch (error) {
    throw toConnectError(error);
  }
}
