/** The values that flags have in force, as text: what `/flagz` shows. */
import { formatDuration } from './duration.ts';
import type { Flag, Sections } from './flag.ts';

/** @param options as they were parsed with these sections */
export const flagValues = (sections: Sections, options: object): { readonly name: string; readonly value: string }[] =>
  Object.entries(sections).flatMap(([group, { flags }]) => {
    const values = (options as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group] ?? {};
    return Object.entries(flags).map(([key, flag]) => ({ name: flag.name, value: shown(flag, values[key]) }));
  });

function shown(flag: Flag, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (flag.type === 'duration') return formatDuration(value as number);
  if (Array.isArray(value)) return `[${value.map(String).join(',')}]`;
  if (value instanceof Map) return [...value].map(([name, text]) => `${name}=${text}`).join(',');
  if (typeof value !== 'object') return String(value);
  const format = flag.format(value);
  return format !== ''
    ? format
    : Object.entries(value)
        .map(([name, text]) => `${name}=${String(text)}`)
        .join(',');
}
