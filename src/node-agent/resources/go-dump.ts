/**
 * Checksums of checkpoint files: FNV-1a, 32 bits, of the text in which Go's spew library shows the structure of a
 * checkpoint. A file that upstream's agent has written is read by this one, and the other way round.
 * @see {@link https://datatracker.ietf.org/doc/html/draft-eastlake-fnv | The FNV Non-Cryptographic Hash Algorithm}
 */

/** A value as Go would show it, with the name of its Go type. */
export interface GoValue {
  readonly type: string;
  readonly text: string;
}

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

export function fnv32a(text: string): number {
  let hash = offsetBasis;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, prime) >>> 0;
  return hash;
}

export const goText = (text: string, type = 'string'): GoValue => ({ type, text });

export const goNumber = (value: number | bigint, type: string): GoValue => ({ type, text: String(value) });

/** In the order of its fields. */
export const goStruct = (type: string, fields: Readonly<Record<string, GoValue>>): GoValue => ({
  type,
  text: `{${Object.entries(fields)
    .map(([name, value]) => `${name}:(${value.type})${value.text}`)
    .join(' ')}}`,
});

export const goSlice = (type: string, values: readonly GoValue[]): GoValue => ({
  type,
  text: `[${values.map(({ text }) => text).join(' ')}]`,
});

/** Keys are sorted. Undefined is a map that was never made. */
export function goMap(type: string, values: Readonly<Record<string, GoValue>> | undefined): GoValue {
  if (values === undefined) return { type, text: '<nil>' };
  const entries = Object.entries(values).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return { type, text: mapText(entries) };
}

/** With keys that are integers. */
export function goIntMap(type: string, values: Readonly<Record<number, GoValue>>): GoValue {
  const entries = Object.entries(values).sort(([a], [b]) => Number(a) - Number(b));
  return { type, text: mapText(entries) };
}

const mapText = (entries: readonly (readonly [string, GoValue])[]): string =>
  `map[${entries.map(([key, { text }]) => `${key}:${text}`).join(' ')}]`;

export const goPointer = ({ type, text }: GoValue): GoValue => ({ type: `*${type}`, text: `<*>${text}` });

/** Of a structure that is passed by its address. */
export const checksumOfPointer = ({ type, text }: GoValue): number => fnv32a(`(*${type})${text}`);

export const checksumOf = ({ type, text }: GoValue): number => fnv32a(`(${type})${text}`);
