/**
 * The plan gate's look at references (C-9): everything about them that can be told before anything starts. Resolution
 * repeats each verdict through the same function, so that neither is right only while the other is.
 */
import { type ErrorCode, faultsOf, nearest, SkeinError } from '../errors/index.ts';
import type { Service, ServiceId, Workspace } from '../workspace/index.ts';
import { parseTemplate, type Reference, type SelfReference } from './reference.ts';
import { selectEndpoint } from './select.ts';
import { carrierPrefix } from './variable.ts';

/** Every fault of every reference in the environments of the services (SK1101 to SK1108, SK1113), in their order. */
export function checkReferences(workspace: Workspace, services: Iterable<Service>): readonly SkeinError[] {
  return [...services].flatMap((service) =>
    [...service.environment.keys()].flatMap((variable) => {
      const faults = variable.startsWith(carrierPrefix) ? [reserved(service, variable)] : [];
      return faults.concat(
        parsed(service, variable).flatMap((piece) => {
          if (piece instanceof SkeinError) return [piece];
          const fault = faultOf(workspace, service, variable, piece);
          return fault === undefined ? [] : [fault];
        }),
      );
    }),
  );
}

/**
 * The other services that the service's environment refers to, in written order: the run needs them too, whether the
 * service declares them as dependencies or not. References that do not parse bring nothing; the gate refuses them.
 */
export function referencedProducers(service: Service): ReadonlySet<ServiceId> {
  return new Set(referencesOf(service).map(({ reference }) => reference.service));
}

/** The references to other services that parse, in written order, each with the variable that holds it. */
export function referencesOf(
  service: Service,
): readonly { readonly variable: string; readonly reference: Exclude<Reference, SelfReference> }[] {
  return [...service.environment.keys()].flatMap((variable) =>
    parsed(service, variable).flatMap((piece) =>
      piece instanceof SkeinError || piece.kind === 'self' || piece.service === service.id
        ? []
        : [{ variable, reference: piece }],
    ),
  );
}

/**
 * What is wrong with one reference, judged by the workspace alone: producer, endpoint, reach, dependency.
 * `undefined` when the reference stands.
 */
export function faultOf(
  workspace: Workspace,
  consumer: Service,
  variable: string,
  reference: Reference,
): SkeinError | undefined {
  const refuse = (code: ErrorCode, reason: string): SkeinError =>
    new SkeinError(code, `${consumer.id} cannot be given ${variable}: ${reference.written}: ${reason}`, {
      place: reference.place,
    });
  const producer = reference.kind === 'self' ? consumer : workspace.services.get(reference.service);
  if (producer === undefined)
    return refuse(
      'SK1104',
      unknownService(workspace, reference.kind === 'self' ? consumer.id : reference.service),
    );
  if (reference.kind !== 'configuration') {
    const selection = selectEndpoint(reference, producer, consumer.module);
    return selection.kind === 'refused' ? refuse(selection.code, selection.reason) : undefined;
  }
  const edges = consumer.dependencies.filter((dependency) => dependency.service === producer.id);
  if (edges.some((edge) => edge.kind === 'runtime')) return undefined;
  if (producer.id === consumer.id) return refuse('SK1108', 'a service cannot take its own configuration');
  const kinds = edges.map((edge) => edge.kind).join(', ');
  const declared = kinds === '' ? 'declares no dependency on it' : `depends on it for ${kinds} alone`;
  return refuse(
    'SK1108',
    `${producer.id} gives its configuration to runtime dependents, and ${consumer.id} ${declared}`,
  );
}

function unknownService(workspace: Workspace, service: ServiceId): string {
  const guess = nearest(service, workspace.services.keys());
  const hint = guess === undefined ? '' : `; did you mean \`${guess}\`?`;
  return `workspace ${workspace.name} has no service \`${service}\`${hint}`;
}

function reserved(service: Service, variable: string): SkeinError {
  const place = service.environment.get(variable)?.place ?? service.place;
  return new SkeinError(
    'SK1113',
    `${service.id} sets ${variable}, and names beginning with ${carrierPrefix} are skein's own`,
    {
      place,
    },
  );
}

/** The references of one variable, or the faults that parsing it found. */
function parsed(service: Service, variable: string): readonly (Reference | SkeinError)[] {
  const template = service.environment.get(variable);
  if (template === undefined) return [];
  try {
    return parseTemplate(template).filter((piece) => piece.kind !== 'text');
  } catch (error) {
    if (error instanceof SkeinError) return faultsOf(error);
    throw error;
  }
}
