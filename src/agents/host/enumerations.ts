/**
 * Finds numbers that stand for nothing in this skein's contract: enumerations of proto3 are open, and an unknown value is
 * refused with its number. Which fields can hold one is worked out once for each message type.
 */
import type { DescEnum, DescField, DescMessage, Message } from '@bufbuild/protobuf';

export interface UnknownNumber {
  /** Dotted names from the message: `status.state`. */
  readonly field: string;
  /** Full name of the enumeration. */
  readonly enumeration: string;
  readonly number: number;
}

/** The first unknown number in `message`, or `undefined`. */
export function unknownNumber(type: DescMessage, message: Message): UnknownNumber | undefined {
  for (const { field, look } of planOf(type)) {
    const value = fieldValue(field, message as unknown as Record<string, unknown>);
    const found = value === undefined ? undefined : look(value);
    if (found !== undefined)
      return { ...found, field: found.field === '' ? field.name : `${field.name}.${found.field}` };
  }
  return undefined;
}

interface Check {
  readonly field: DescField;
  /** Judges the field's value; `field` of the finding is relative to it. */
  readonly look: (value: unknown) => UnknownNumber | undefined;
}

const plans: WeakMap<DescMessage, Check[]> = new WeakMap();

function planOf(type: DescMessage): readonly Check[] {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan: Check[] = [];
  // Known before it is filled: messages may hold themselves.
  plans.set(type, plan);
  for (const field of type.fields) {
    const look = lookerOf(field);
    if (look !== undefined) plan.push({ field, look });
  }
  return plan;
}

function lookerOf(field: DescField): Check['look'] | undefined {
  // The enumeration of JSON's null stands in Google's own messages.
  const one = field.enum
    ? judge(field.enum)
    : field.message?.typeName.startsWith('skein.')
      ? descend(field.message)
      : undefined;
  if (one === undefined) return undefined;
  if (field.fieldKind === 'list') return (value) => first(value as unknown[], one);
  if (field.fieldKind === 'map') return (value) => first(Object.values(value as object), one);
  return one;
}

function judge(enumeration: DescEnum): Check['look'] {
  return (value) =>
    enumeration.value[value as number] === undefined
      ? { field: '', enumeration: enumeration.typeName, number: value as number }
      : undefined;
}

function descend(type: DescMessage): Check['look'] {
  return (value) => unknownNumber(type, value as Message);
}

function first(values: readonly unknown[], look: Check['look']): UnknownNumber | undefined {
  for (const value of values) {
    const found = look(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldValue(field: DescField, message: Record<string, unknown>): unknown {
  if (field.oneof === undefined) return message[field.localName];
  const chosen = message[field.oneof.localName] as { case: string | undefined; value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
}
