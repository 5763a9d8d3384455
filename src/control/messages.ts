/** What a run says of itself, in the words of its API. Pure; the way back is the client's `create`d messages themselves. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ProcessExitSchema } from '../gen/skein/base/v1/status_pb.js';
import {
  type ConfigurationEntrySchema,
  type LogChunkSchema,
  type ReceiptSchema,
  type RequirementSchema,
  type RunFailureSchema,
  type RunSnapshot as RunSnapshotMessage,
  RunSnapshotSchema,
  RunState as RunStateMessage,
  type ServiceSnapshotSchema,
  ServiceState as ServiceStateMessage,
  type WhyLinkSchema,
} from '../gen/skein/control/v1/control_pb.js';
import type {
  ConfigurationEntry,
  FailureReport,
  LogChunk,
  ProcessEnd,
  Receipt,
  RunSnapshot,
  RunState,
  ServiceSnapshot,
  ServiceState,
  UnmetRequirement,
  WhyLink,
} from '../orchestration/index.ts';

const runStates: Readonly<Record<RunState, RunStateMessage>> = {
  starting: RunStateMessage.STARTING,
  ready: RunStateMessage.READY,
  degraded: RunStateMessage.DEGRADED,
  failed: RunStateMessage.FAILED,
  stopping: RunStateMessage.STOPPING,
  stopped: RunStateMessage.STOPPED,
};

const serviceStates: Readonly<Record<ServiceState, ServiceStateMessage>> = {
  pending: ServiceStateMessage.PENDING,
  loading: ServiceStateMessage.LOADING,
  initializing: ServiceStateMessage.INITIALIZING,
  waiting: ServiceStateMessage.WAITING,
  starting: ServiceStateMessage.STARTING,
  running: ServiceStateMessage.RUNNING,
  completed: ServiceStateMessage.COMPLETED,
  failed: ServiceStateMessage.FAILED,
  'crash-looping': ServiceStateMessage.CRASH_LOOPING,
  stopping: ServiceStateMessage.STOPPING,
  stopped: ServiceStateMessage.STOPPED,
  excluded: ServiceStateMessage.EXCLUDED,
};

/** The word of `skein status --json` for a state of a run; `starting` for one that this version does not know. */
export function runStateWord(state: RunStateMessage): RunState {
  return wordOf(runStates, state) ?? 'starting';
}

/** The word of `skein status --json` for a state of a service; `pending` for one that this version does not know. */
export function serviceStateWord(state: ServiceStateMessage): ServiceState {
  return wordOf(serviceStates, state) ?? 'pending';
}

function wordOf<Word extends string, State>(
  words: Readonly<Record<Word, State>>,
  state: State,
): Word | undefined {
  return (Object.keys(words) as Word[]).find((word) => words[word] === state);
}

/** `nowMs`: milliseconds since 1970; how long something has lasted is counted up to it. */
export function snapshotMessage(snapshot: RunSnapshot, nowMs: number): RunSnapshotMessage {
  return create(RunSnapshotSchema, {
    workspace: snapshot.workspace,
    root: snapshot.root,
    run: snapshot.run,
    mode: snapshot.mode,
    state: runStates[snapshot.state],
    startedAtUnixMs: BigInt(snapshot.startedAtMs),
    ...(snapshot.readyAtMs !== null && { readyAtUnixMs: BigInt(snapshot.readyAtMs) }),
    services: [...snapshot.services.values()].map((service) => serviceMessage(service, nowMs)),
    pid: snapshot.pid,
    sequence: BigInt(snapshot.sequence),
    ...(snapshot.failure !== null && { failure: failureMessage(snapshot.failure) }),
    ...(snapshot.receipt !== null && { receipt: receiptMessage(snapshot.receipt) }),
  });
}

function serviceMessage(
  service: ServiceSnapshot,
  nowMs: number,
): MessageInitShape<typeof ServiceSnapshotSchema> {
  return {
    id: service.id,
    kind: service.kind,
    agent: service.agent,
    state: serviceStates[service.state],
    ready: service.ready,
    ...(service.pid !== null && { pid: service.pid }),
    restarts: service.restarts,
    ...(service.exit !== null && { exit: exitMessage(service.exit) }),
    ...(service.startedAtMs !== null && { startedAtUnixMs: BigInt(service.startedAtMs) }),
    ...(service.timeToReadyMs !== null && { timeToReadyMs: Math.round(service.timeToReadyMs) }),
    ...(service.waitingFor !== null && { waitingFor: requirementMessage(service.waitingFor, nowMs) }),
    endpoints: service.endpoints.map((endpoint) => ({
      id: endpoint.id,
      address: endpoint.address ?? '',
      url: endpoint.url ?? '',
      ready: endpoint.ready,
      predicate: endpoint.predicate,
      lastError: endpoint.lastError ?? '',
      api: endpoint.api,
    })),
    dependencies: [...service.dependencies],
    failure: service.failure?.message ?? '',
    reloadFailure: service.reloadFailure?.message ?? '',
    ...(service.cpuMs !== null && { cpuMs: BigInt(Math.round(service.cpuMs)) }),
    ...(service.memoryBytes !== null && { memoryBytes: BigInt(Math.round(service.memoryBytes)) }),
  };
}

function failureMessage(failure: FailureReport): MessageInitShape<typeof RunFailureSchema> {
  return {
    code: failure.code,
    message: failure.message,
    service: failure.service ?? '',
    phase: failure.phase ?? '',
    remedy: failure.remedy ?? '',
    lastLines: [...failure.lastLines],
    ...(failure.exit !== null && { exit: exitMessage(failure.exit) }),
  };
}

function exitMessage(end: ProcessEnd): MessageInitShape<typeof ProcessExitSchema> {
  return end.kind === 'exited'
    ? { cause: { case: 'code', value: end.code } }
    : { cause: { case: 'signal', value: end.signal } };
}

function requirementMessage(
  requirement: UnmetRequirement,
  nowMs: number,
): MessageInitShape<typeof RequirementSchema> {
  return {
    service: requirement.service,
    endpoint: requirement.endpoint ?? '',
    predicate: requirement.predicate,
    lastError: requirement.lastError ?? '',
    sinceMs: Math.max(0, Math.round(nowMs - requirement.sinceMs)),
  };
}

export function receiptMessage(receipt: Receipt): MessageInitShape<typeof ReceiptSchema> {
  return {
    operation: receipt.operation,
    layers: receipt.layers,
    resources: receipt.resources.map((resource) => ({
      id: resource.id,
      layer: resource.layer,
      outcome: resource.outcome,
      durationMs: Math.round(resource.durationMs),
      error: resource.error ?? '',
    })),
  };
}

/** `state` is what the link's service is in now. */
export function whyMessage(
  link: WhyLink,
  state: ServiceState | undefined,
  nowMs: number,
): MessageInitShape<typeof WhyLinkSchema> {
  return {
    service: link.service,
    state: state === undefined ? ServiceStateMessage.UNSPECIFIED : serviceStates[state],
    ...(link.requirement !== null && { requirement: requirementMessage(link.requirement, nowMs) }),
    failure: link.failure?.message ?? '',
  };
}

export function configurationMessage(
  entry: ConfigurationEntry,
): MessageInitShape<typeof ConfigurationEntrySchema> {
  return { ...entry, source: entry.source ?? '' };
}

/** The chunk's lines; lines lost before them are said in a line of their own, never passed over. */
export function logMessages(chunk: LogChunk): MessageInitShape<typeof LogChunkSchema>[] {
  const place = { service: chunk.service, stream: chunk.stream, timeUnixMs: BigInt(chunk.timeMs) };
  const lines = { ...place, text: chunk.text, partial: chunk.partial };
  if (chunk.lost === 0) return [lines];
  const word = chunk.lost === 1 ? 'line was' : 'lines were';
  return [{ ...place, text: `[skein: ${chunk.lost} ${word} lost here]`, partial: false }, lines];
}
