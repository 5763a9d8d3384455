/** The JSON documents of the command line, to the letter of its reference. Pure: messages of the run's API in, data out. */
import { runStateWord, serviceStateWord } from '../../control/index.ts';
import type { ProcessExit } from '../../gen/skein/base/v1/status_pb.js';
import type {
  Event,
  LogChunk,
  Receipt,
  Requirement,
  RunFailure,
  RunSnapshot,
  ServiceSnapshot,
  WhyLink,
} from '../../gen/skein/control/v1/control_pb.js';

type Document = { readonly [key: string]: unknown };

/** `skein status --json`. */
export function statusDocument(run: RunSnapshot): Document {
  return {
    workspace: run.workspace,
    root: run.root,
    run: run.run,
    mode: run.mode,
    state: runStateWord(run.state),
    startedAt: time(run.startedAtUnixMs),
    readyAt: run.readyAtUnixMs === undefined ? null : time(run.readyAtUnixMs),
    pid: run.pid,
    failure: run.failure === undefined ? null : failureDocument(run.failure),
    services: run.services.map(serviceDocument),
  };
}

function serviceDocument(service: ServiceSnapshot): Document {
  return {
    id: service.id,
    kind: service.kind,
    agent: service.agent,
    state: serviceStateWord(service.state),
    ready: service.ready,
    pid: service.pid ?? null,
    restarts: service.restarts,
    exit: exitDocument(service.exit),
    startedAt: service.startedAtUnixMs === undefined ? null : time(service.startedAtUnixMs),
    timeToReadyMs: service.timeToReadyMs ?? null,
    waitingFor: requirementDocument(service.waitingFor),
    endpoints: service.endpoints.map((endpoint) => ({
      id: endpoint.id,
      address: orNull(endpoint.address),
      url: orNull(endpoint.url),
      ready: endpoint.ready,
      predicate: endpoint.predicate,
      lastError: orNull(endpoint.lastError),
    })),
    dependencies: service.dependencies,
    failure: orNull(service.failure),
    reloadFailure: orNull(service.reloadFailure),
    cpuMs: service.cpuMs === undefined ? null : Number(service.cpuMs),
    memoryBytes: service.memoryBytes === undefined ? null : Number(service.memoryBytes),
  };
}

export function failureDocument(failure: RunFailure): Document {
  return {
    code: failure.code,
    message: failure.message,
    service: orNull(failure.service),
    phase: orNull(failure.phase),
    remedy: orNull(failure.remedy),
    lastLines: failure.lastLines,
    exit: exitDocument(failure.exit),
  };
}

function exitDocument(exit: ProcessExit | undefined): Document | null {
  switch (exit?.cause.case) {
    case 'code':
      return { code: exit.cause.value, signal: null };
    case 'signal':
      return { code: null, signal: exit.cause.value };
    default:
      return null;
  }
}

function requirementDocument(requirement: Requirement | undefined): Document | null {
  if (requirement === undefined) return null;
  return {
    service: requirement.service,
    endpoint: orNull(requirement.endpoint),
    predicate: requirement.predicate,
    lastError: orNull(requirement.lastError),
    sinceMs: requirement.sinceMs,
  };
}

/** The receipt of a teardown. */
export function receiptDocument(receipt: Receipt): Document {
  return {
    operation: receipt.operation,
    layers: receipt.layers,
    resources: receipt.resources.map((resource) => ({
      id: resource.id,
      layer: resource.layer,
      outcome: resource.outcome,
      durationMs: resource.durationMs,
      error: orNull(resource.error),
    })),
  };
}

/** A line of `skein events --json`; `service` is absent for what concerns the run itself. */
export function eventDocument(event: Event): Document {
  return {
    time: time(event.timeUnixMs),
    ...(event.service !== '' && { service: event.service }),
    phase: event.phase,
    state: event.state,
    cause: event.cause,
    severity: event.severity,
  };
}

/** A line of `skein logs --json`, for every line of output in the chunk. */
export function logDocuments(chunk: LogChunk): Document[] {
  const head = { time: time(chunk.timeUnixMs), service: chunk.service, stream: chunk.stream };
  const lines = chunk.text.split('\n');
  return lines.map((text, index) => ({
    ...head,
    text,
    ...(chunk.partial && index === lines.length - 1 && { partial: true }),
  }));
}

/** `skein why --json`. */
export function whyDocument(service: string, chain: readonly WhyLink[]): Document {
  return {
    service,
    chain: chain.map((link) => ({
      service: link.service,
      state: serviceStateWord(link.state),
      requirement: requirementDocument(link.requirement),
      failure: orNull(link.failure),
    })),
  };
}

function time(unixMs: bigint): string {
  return new Date(Number(unixMs)).toISOString();
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
