/** Zod's own converter, apart, so that an agent loads it when it is asked for its schema and not before. */
import type { JsonObject } from '@bufbuild/protobuf';
import * as z from 'zod';

/** The JSON Schema (draft 2020-12) of what may be written for `schema`. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  // Zod hangs non-enumerable helpers on the result; a JSON copy is plain.
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))) as JsonObject;
}
