/** What the comments of `proto/` say about types and fields. Only OpenAPI reads them, so nothing is kept. */
import { lines } from './gen/descriptions.ts';
import { LineTable } from './line-table.ts';

export interface Description {
  /** Of the type; '' where nothing is said. */
  readonly text: string;
  /** By JSON name; a field may be missing. */
  readonly fields: Readonly<Record<string, string>>;
}

const table = new LineTable<[name: string, text: string, fields: Record<string, string>]>(lines);

/** `descriptionOf('core/v1.Pod')` */
export function descriptionOf(id: string): Description {
  const dot = id.indexOf('.');
  const [, text, fields] = table.entry(id.slice(0, dot), id.slice(dot + 1)) ?? ['', '', {}];
  return { text, fields };
}
