/** Name/value blocks (section 2.6.10): names in lower case, several values of a name in one text. */
import { SpdyError } from './errors.ts';

export type SpdyHeaders = ReadonlyMap<string, readonly string[]>;

export function encodeHeaders(headers: SpdyHeaders): Buffer {
  const parts = [number(headers.size)];
  for (const [name, values] of headers) parts.push(...text(name.toLowerCase()), ...text(values.join('\0')));
  return Buffer.concat(parts);
}

const text = (value: string): Buffer[] => {
  const bytes = Buffer.from(value);
  return [number(bytes.length), bytes];
};

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Throws for what is no such block. */
export function decodeHeaders(block: Buffer): Map<string, string[]> {
  let at = 0;
  const readNumber = (): number => {
    if (at + 4 > block.length) throw new SpdyError('a header block is too short');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const readText = (): string => {
    const length = readNumber();
    if (at + length > block.length) throw new SpdyError('a header block is too short');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const headers = new Map<string, string[]>();
  const count = readNumber();
  for (let i = 0; i < count; i++) {
    const name = readText().toLowerCase();
    if (name === '' || headers.has(name)) throw new SpdyError('a header block has a name twice, or an empty one');
    headers.set(name, readText().split('\0'));
  }
  return headers;
}
