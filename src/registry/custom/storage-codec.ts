/** The storage codec of custom objects: stored JSON text to normalized JSON text, and back. */
import type { AttributesScanner } from '../../machinery/codec/attributes-scanner.ts';
import { createAttributesInterning } from '../../storage/attributes-interning.ts';
import type { ObjectCodec } from '../../storage/objects.ts';
import { OwnValues } from '../generic/storage-codec.ts';
import type { CustomCodec } from './codec.ts';

export interface CustomStorageCodecOptions {
  /** Of the storage version. */
  readonly codec: CustomCodec;
  readonly scan: AttributesScanner;
}

const lineBreak = 0x0a;
const newline = Buffer.from('\n');

export function createCustomStorageCodec({ codec, scan }: CustomStorageCodecOptions): ObjectCodec {
  const own = new OwnValues();
  const share = createAttributesInterning();
  return {
    decode: (key, value, revision) => {
      const text = value[value.length - 1] === lineBreak ? value.subarray(0, -1) : value;
      const bytes = own.has(key, value) ? text : sameOr(text, codec.normalForm(text));
      return { key, revision, bytes, attributes: share(key, scan(bytes)), representations: undefined };
    },
    encode: (key, bytes) => {
      const value = Buffer.concat([bytes, newline]);
      own.add(key, value);
      return value;
    },
  };
}

const sameOr = (text: Buffer, normal: Buffer): Buffer => (normal.equals(text) ? text : normal);
