/** The door between stored values and custom objects: JSON text, and behind it JSON text in normal form. */
import type { CardScanner } from '../../machinery/codec/scan.ts';
import { createCardSharing } from '../../storage/card.ts';
import type { ObjectCodec } from '../../storage/objects.ts';
import { OwnValues } from '../generic/door.ts';
import type { CustomCodec } from './codec.ts';

export interface CustomDoorOptions {
  /** Of the storage version. */
  readonly codec: CustomCodec;
  readonly scan: CardScanner;
}

const lineBreak = 0x0a;
const newline = Buffer.from('\n');

export function createCustomDoor({ codec, scan }: CustomDoorOptions): ObjectCodec {
  const own = new OwnValues();
  const share = createCardSharing();
  return {
    open: (key, value, revision) => {
      const text = value[value.length - 1] === lineBreak ? value.subarray(0, -1) : value;
      const bytes = own.has(key, value) ? text : sameOr(text, codec.normalForm(text));
      return { key, revision, bytes, card: share(key, scan(bytes)), representations: undefined };
    },
    seal: (key, bytes) => {
      const value = Buffer.concat([bytes, newline]);
      own.add(key, value);
      return value;
    },
  };
}

const sameOr = (text: Buffer, normal: Buffer): Buffer => (normal.equals(text) ? text : normal);
