/** Who calls and in what: the facts that make an error of a call say which agent, which service and which phase. */
import type { DescMethod } from '@bufbuild/protobuf';
import { type FilePlace, type Place, SkeinError, type SkeinErrorOptions } from '../../errors/index.ts';
import type { AgentExit } from '../program/index.ts';
import type { AgentTimeouts } from './timeouts.ts';

/** The agent behind a channel, as far as errors speak of it. */
export interface Callee {
  /** Identity of the agent, such as `skein/process`. */
  readonly name: string;
  readonly timeouts: AgentTimeouts;
  readonly exited: Promise<AgentExit>;
  /** The exit as soon as it is known. */
  readonly exit: AgentExit | undefined;
  lastLines(): readonly string[];
  /** Where a part of the `spec` of an instance is written, by JSON pointer; `undefined` where that is not known. */
  locate(instance: string, pointer: string): FilePlace | undefined;
}

/** One call: of which method, for which instance. */
export interface CallSite {
  readonly callee: Callee;
  readonly method: DescMethod;
  /** Absent for calls that concern the agent as a whole. */
  readonly instance: string | undefined;
}

/** The site of a call, whose instance its request names. */
export function siteOf(callee: Callee, method: DescMethod, request: object): CallSite {
  const instance = (request as { readonly instance?: unknown }).instance;
  return { callee, method, instance: typeof instance === 'string' ? instance : undefined };
}

/** `Load of shop/api`. */
export function describeCall({ method, instance }: CallSite): string {
  return instance === undefined ? method.name : `${method.name} of ${instance}`;
}

/** A position in the run; absent for calls that concern the agent as a whole. */
export function runPlace({ method, instance }: CallSite): Place | undefined {
  return instance === undefined ? undefined : { service: instance, phase: method.localName };
}

/** An error of a call, placed in the run, with the agent's last lines unless `options` bring better ones. */
export function callError(
  site: CallSite,
  code: SkeinError['code'],
  message: string,
  options: SkeinErrorOptions = {},
): SkeinError {
  const place = runPlace(site);
  return new SkeinError(code, message, {
    ...(place && { place }),
    lastLines: site.callee.lastLines(),
    ...options,
  });
}
