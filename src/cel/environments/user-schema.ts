import type { OpenApiSchema } from '../schema/schema-type.ts';

const text: OpenApiSchema = { type: 'string' };
const list: OpenApiSchema = { type: 'array', items: text };

/** A user as requests and reviews show them. */
export const userSchema: OpenApiSchema = {
  type: 'object',
  properties: { username: text, uid: text, groups: list, extra: { type: 'object', additionalProperties: list } },
};
