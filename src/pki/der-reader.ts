/**
 * Reading DER, as far as a certificate request needs it. @see {@link https://www.itu.int/rec/T-REC-X.690 | ITU-T
 * X.690}, section 8.1
 */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly whole: Buffer;
}

export class DerError extends Error {
  override readonly name = 'DerError';
}

export const derTags = { integer: 0x02, bitString: 0x03, octetString: 0x04, oid: 0x06, sequence: 0x30 } as const;

/**
 * More do not stand one after another in anything that is real: an empty one has two bytes, and takes a hundred times
 * that in memory.
 */
const maxElements = 10_000;

/** The elements that stand one after another. Throws {@link DerError}. */
export function readDer(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let p = 0; p < bytes.length; p += elements.at(-1)!.whole.length) {
    if (elements.length === maxElements) throw new DerError('asn1: structure error: too many elements');
    elements.push(readElement(bytes.subarray(p)));
  }
  return elements;
}

function readElement(bytes: Buffer): DerElement {
  const first = bytes[1];
  if (first === undefined) throw new DerError('asn1: syntax error: data truncated');
  // A short length is the byte itself; of a long one the byte says how many bytes it has.
  const size = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || size > 4 || bytes.length < 2 + size)
    throw new DerError('asn1: structure error: length too large');
  const length = size === 0 ? first : bytes.readUIntBE(2, size);
  const end = 2 + size + length;
  if (end > bytes.length) throw new DerError('asn1: syntax error: data truncated');
  return { tag: bytes[0]!, content: bytes.subarray(2 + size, end), whole: bytes.subarray(0, end) };
}

export function expectTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag !== tag) throw new DerError("asn1: structure error: tags don't match");
  return element;
}
