import type { JsonValue } from '../../../../machinery/value.ts';

export type Template = (data: JsonValue) => JsonValue;

export function compileTemplate(_text: string): Template {
  throw new Error('not yet');
}
