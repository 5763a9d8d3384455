/** A run for a person: its services in dependency order, what each waits for, and how a run ended. */
import { runStateWord, serviceStateWord } from '../../control/index.ts';
import type {
  Receipt,
  Requirement,
  RunFailure,
  RunSnapshot,
  ServiceSnapshot,
} from '../../gen/skein/control/v1/control_pb.js';
import { spell, table } from './table.ts';

/** `nowMs`: milliseconds since 1970. */
export function statusText(run: RunSnapshot, nowMs: number): string {
  const since = spell(Math.max(0, nowMs - Number(run.startedAtUnixMs)));
  const head = `${run.workspace} is ${runStateWord(run.state)}: run ${run.run}, process ${run.pid}, since ${since}`;
  const rows = run.services.map((service) => [
    service.id,
    serviceStateWord(service.state),
    service.ready ? 'ready' : '-',
    service.timeToReadyMs === undefined ? '-' : spell(service.timeToReadyMs),
    service.pid === undefined ? '-' : String(service.pid),
    String(service.restarts),
    service.endpoints
      .map((endpoint) => endpoint.url || endpoint.address)
      .filter(Boolean)
      .join(' ') || '-',
    remark(service),
  ]);
  const heading = ['SERVICE', 'STATE', 'READY', 'TIME', 'PID', 'RESTARTS', 'ADDRESS', ''];
  const failure = run.failure === undefined ? '' : `\n\n${failureText(run.failure)}`;
  return `${head}\n\n${table([heading, ...rows])}${failure}`;
}

function remark(service: ServiceSnapshot): string {
  if (service.failure !== '') return service.failure;
  if (service.reloadFailure !== '') return `its reload failed: ${service.reloadFailure}`;
  return service.waitingFor === undefined ? '' : `waits for ${requirementText(service.waitingFor)}`;
}

export function requirementText(requirement: Requirement): string {
  const what = requirement.endpoint || requirement.service;
  const error = requirement.lastError === '' ? '' : `: ${requirement.lastError}`;
  return `${what} (${requirement.predicate}, since ${spell(requirement.sinceMs)})${error}`;
}

/** The culprit, how its process ended, its last words, and what to do. */
export function failureText(failure: RunFailure): string {
  const place = [failure.service, failure.phase].filter(Boolean).join(' · ');
  const { cause } = failure.exit ?? {};
  const exit =
    cause?.case === 'code'
      ? `exited with ${cause.value}`
      : cause?.case === 'signal'
        ? `ended by ${cause.value}`
        : '';
  return [
    `error ${failure.code}: ${failure.message}`,
    ...(place === '' ? [] : [`  at: ${place}`]),
    ...(exit === '' ? [] : [`  process: ${exit}`]),
    ...(failure.lastLines.length === 0
      ? []
      : ['  last lines:', ...failure.lastLines.map((line) => `    | ${line}`)]),
    ...(failure.remedy === '' ? [] : [`  to do: ${failure.remedy}`]),
  ].join('\n');
}

/** What a teardown did. */
export function receiptText(receipt: Receipt): string {
  if (receipt.resources.length === 0) return `${receipt.operation}: there was nothing to stop`;
  const rows = receipt.resources.map((resource) => [
    `  ${resource.id}`,
    resource.outcome,
    spell(resource.durationMs),
    resource.error,
  ]);
  const layers = receipt.layers === 1 ? '1 layer' : `${receipt.layers} layers`;
  return `${receipt.operation}: ${receipt.resources.length} in ${layers}\n${table(rows)}`;
}

/** Whether everything is proven to be gone without an error. */
export function isClean(receipt: Receipt): boolean {
  return receipt.resources.every(({ outcome }) => outcome === 'stopped' || outcome === 'forced');
}
