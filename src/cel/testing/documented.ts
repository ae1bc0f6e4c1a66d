import { type Environment } from '../environment.ts';
import { type Bindings } from '../evaluate/state.ts';
import { ListValue } from '../values/values.ts';
import { type OpenApiSchema } from '../schema/schema-type.ts';

export function run(env: Environment, expression: string, bindings: Bindings): unknown {
  const compiled = env.compile(expression);
  if ('failure' in compiled) return compiled.failure;
  const outcome = compiled.evaluate(bindings);
  if ('error' in outcome) return outcome.error;
  return outcome.value instanceof ListValue ? [...outcome.value] : outcome.value;
}

export const S: OpenApiSchema = { type: 'string' };

export const list = (items: OpenApiSchema, more: OpenApiSchema = {}): OpenApiSchema => ({
  type: 'array',
  items,
  ...more,
});

export const object = (properties: Record<string, OpenApiSchema>): OpenApiSchema => ({ type: 'object', properties });
