/** What of the caller's own environment reaches a service (C-17): a short list, and what the service names. */
import { callerVariables } from '../processes/index.ts';
import { isSecret } from '../secrets/index.ts';
import type { Variable } from './variable.ts';

export interface CallerEnvironment {
  readonly variables: readonly Variable[];
  /** Names that the service asked for and the caller does not have. */
  readonly missing: readonly string[];
}

/**
 * The listed variables that the caller has, and those named in `passed` (`spec.pass-environment`); nothing else. Secret
 * ones are marked (C-2).
 */
export function callerEnvironment(
  caller: { readonly [name: string]: string | undefined },
  passed: readonly string[] = [],
): CallerEnvironment {
  const variables: Variable[] = [];
  const missing: string[] = [];
  for (const name of new Set([...callerVariables, ...passed])) {
    const value = Object.hasOwn(caller, name) ? caller[name] : undefined;
    if (value !== undefined) variables.push({ name, value, secret: isSecret({ key: name, value }) });
    else if (passed.includes(name)) missing.push(name);
  }
  return { variables, missing };
}
