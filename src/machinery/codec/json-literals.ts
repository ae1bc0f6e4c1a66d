/** The constant parts of an object's JSON, as bytes. */
import { BoundedCache } from '../../base/bounded-cache.ts';
import type { TypeMeta } from './envelope.ts';

/** `"name":` */
export const memberName = (name: string): Uint8Array => bytes(`${JSON.stringify(name)}:`);

/** `"name":null,` */
export const constantMember = (name: string, value: string): Uint8Array => bytes(`${JSON.stringify(name)}:${value},`);

const known = new BoundedCache<Uint8Array>({
  maxBytes: 1024 * 1024,
  maxKeyLength: 256,
  bytesOf: ({ length }) => length,
});

/** `"kind":"Pod","apiVersion":"v1",`: upstream's order. */
export function typeMetaMembers({ kind, apiVersion }: TypeMeta): Uint8Array {
  const key = `${kind}\n${apiVersion}`;
  let members = known.get(key);
  if (members === undefined) {
    const member = (name: string, value: string): string => (value === '' ? '' : `"${name}":${JSON.stringify(value)},`);
    members = bytes(member('kind', kind) + member('apiVersion', apiVersion));
    known.set(key, members);
  }
  return members;
}

// Plain arrays of bytes: generated code copies a few bytes from them at a time.
function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'utf8'));
}

export const jsonTrue = bytes('true');
export const jsonFalse = bytes('false');
export const jsonNull = bytes('null');
