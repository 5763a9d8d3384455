/** The schema of an agent's `spec`: advertised as JSON Schema, and used to read each `spec` that comes in. */
import type { JsonObject } from '@bufbuild/protobuf';
import type { ZodType } from 'zod';
import type { JsonSchema, SpecSchema } from './definition.ts';
import { AgentFailure, type Violation } from './failure.ts';

export class SpecReader<Spec> {
  readonly #source: SpecSchema<Spec> | undefined;
  #loaded: Promise<ZodType<Spec> | JsonSchema | undefined> | undefined;

  constructor(source: SpecSchema<Spec> | undefined) {
    this.#source = source;
  }

  /** JSON Schema (draft 2020-12) of what may be written; `undefined`: anything. */
  async jsonSchema(): Promise<JsonObject | undefined> {
    const schema = await this.#schema();
    if (schema === undefined) return undefined;
    if ('jsonSchema' in schema) return schema.jsonSchema;
    return (await import('./json-schema.ts')).jsonSchemaOf(schema);
  }

  /** @throws {AgentFailure} SPEC_INVALID with every violation at once */
  async read(spec: JsonObject): Promise<Spec> {
    const schema = await this.#schema();
    // Without a zod schema the author's type of `spec` is what the host has judged by the JSON Schema.
    if (schema === undefined || 'jsonSchema' in schema) return spec as Spec;
    const result = await schema.safeParseAsync(spec);
    if (result.success) return result.data;
    const violations = result.error.issues.flatMap(violationsOf);
    throw new AgentFailure('SPEC_INVALID', `spec ${violations.map(violationText).join('; ')}`, {
      violations,
      remedy: 'Correct the settings named, under `spec` of the service.',
    });
  }

  #schema(): Promise<ZodType<Spec> | JsonSchema | undefined> {
    this.#loaded ??= Promise.resolve(typeof this.#source === 'function' ? this.#source() : this.#source);
    return this.#loaded;
  }
}

/** RFC 6901. */
function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function violationsOf(issue: Issue): Violation[] {
  if (issue.code === 'unrecognized_keys' && issue.keys !== undefined)
    return issue.keys.map((key) => ({ pointer: jsonPointer([...issue.path, key]), message: 'unknown key' }));
  return [{ pointer: jsonPointer(issue.path), message: issue.message }];
}

function violationText({ pointer, message }: Violation): string {
  return pointer === '' ? message : `${pointer}: ${message}`;
}
