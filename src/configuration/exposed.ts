/** What a service exposes to its dependents at run time, as its agent answered it at Init. */
import { hash } from 'node:crypto';
import { SkeinError, SkeinFaults } from '../errors/index.ts';
import { isSecretConfiguration } from '../secrets/index.ts';
import type { ServiceId } from '../workspace/index.ts';

export interface ExposedConfiguration {
  /** May be nested: `auth/frontend`. */
  readonly group: string;
  /** At least one; each key once. */
  readonly values: readonly ExposedValue[];
}

export interface ExposedValue {
  readonly key: string;
  readonly value: string;
  readonly secret: boolean;
}

/**
 * Takes over what an agent answered: the secret ones are found (C-2), whether the agent said so or not.
 * @throws {SkeinError} SK1120, all faults together when there are several.
 */
export function judgeExposed(
  service: ServiceId,
  answered: readonly ExposedConfiguration[],
): readonly ExposedConfiguration[] {
  const faults: SkeinError[] = [];
  const refuse = (reason: string): void => {
    const place = { service, phase: 'init' };
    faults.push(new SkeinError('SK1120', `the agent of ${service} exposed ${reason}`, { place }));
  };
  const groups = new Set<string>();
  for (const { group, values } of answered) {
    if (group === '') refuse('a group without a name');
    else if (groups.has(group)) refuse(`the group \`${group}\` twice`);
    groups.add(group);
    if (values.length === 0) refuse(`the group \`${group}\` without a value`);
    const keys = new Set<string>();
    for (const { key } of values) {
      if (key === '') refuse(`a value without a key in the group \`${group}\``);
      else if (keys.has(key)) refuse(`the key \`${key}\` of the group \`${group}\` twice`);
      keys.add(key);
    }
  }
  if (faults.length === 1 && faults[0] !== undefined) throw faults[0];
  if (faults.length > 0) throw new SkeinFaults(faults);
  return answered.map(({ group, values }) => ({
    group,
    values: values.map(({ key, value, secret }) => ({
      key,
      value,
      secret: isSecretConfiguration({ group, key, value, marked: secret }),
    })),
  }));
}

/** SHA-256, in hexadecimal; neither the order of groups nor that of keys is part of it. */
export function hashExposed(configurations: readonly ExposedConfiguration[]): string {
  const lines = configurations.flatMap(({ group, values }) =>
    values.map(({ key, value, secret }) => JSON.stringify([group, key, value, secret])),
  );
  return hash('sha256', lines.sort().join('\n'), 'hex');
}

export type Lookup =
  | { readonly kind: 'found'; readonly group: string; readonly value: ExposedValue }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The value that `group/key` names, or `group` alone where the group has one value (C-7). Since groups nest, `a/b` may be
 * either; both at once is ambiguous, and no order decides.
 */
export function lookUp(configurations: readonly ExposedConfiguration[], path: string): Lookup {
  const found: { group: string; value: ExposedValue }[] = [];
  const reasons: string[] = [];
  for (const { group, values } of configurations) {
    if (path === group) {
      const [only, ...others] = values;
      if (only !== undefined && others.length === 0) found.push({ group, value: only });
      else reasons.push(`the group \`${group}\` has several values; name one: ${keysOf(values)}`);
    } else if (path.startsWith(`${group}/`)) {
      const key = path.slice(group.length + 1);
      const value = values.find((candidate) => candidate.key === key);
      if (value !== undefined) found.push({ group, value });
      else reasons.push(`the group \`${group}\` has no key \`${key}\`; it has ${keysOf(values)}`);
    }
  }
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return { kind: 'found', ...first };
  if (first !== undefined) {
    const names = found.map(({ group, value }) => `\`${value.key}\` of \`${group}\``).join(' and ');
    return { kind: 'missing', reason: `\`${path}\` names several values: ${names}` };
  }
  const known = configurations.map(({ group }) => `\`${group}\``).join(', ') || 'none';
  const unknown = `there is no group \`${path}\`; exposed are ${known}`;
  return { kind: 'missing', reason: reasons.length > 0 ? reasons.join('; ') : unknown };
}

function keysOf(values: readonly ExposedValue[]): string {
  return values.map((value) => `\`${value.key}\``).join(', ');
}
