/** Base64 as Go's decoder reads it (standard alphabet, padded, line breaks ignored), with its errors. */
import { JsonTypeError } from './json-error.ts';

const isAlphabet = (code: number): boolean =>
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2b ||
  code === 0x2f;

const isLineBreak = (code: number): boolean => code === 0x0a || code === 0x0d;

/** The canonical base64 of what the text stands for. Throws {@link JsonTypeError}. */
export function canonicalBase64(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  let quantum = 0;
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i]!;
    if (isLineBreak(code)) continue;
    if (isAlphabet(code)) quantum = (quantum + 1) % 4;
    else if (code === 0x3d && quantum >= 2) return checkPadding(bytes, i, quantum, text);
    else throw corrupt(i);
  }
  if (quantum !== 0) throw corrupt(bytes.length - quantum);
  return Buffer.from(text, 'base64').toString('base64');
}

/** `at` is the first padding character, behind `quantum` characters of the last group. */
function checkPadding(bytes: Buffer, at: number, quantum: number, text: string): string {
  let i = at + 1;
  if (quantum === 2) {
    while (i < bytes.length && isLineBreak(bytes[i]!)) i++;
    if (i === bytes.length) throw corrupt(bytes.length);
    if (bytes[i] !== 0x3d) throw corrupt(i - 1);
    i++;
  }
  while (i < bytes.length && isLineBreak(bytes[i]!)) i++;
  if (i < bytes.length) throw corrupt(i);
  return Buffer.from(text, 'base64').toString('base64');
}

const corrupt = (offset: number): JsonTypeError => new JsonTypeError(`illegal base64 data at input byte ${offset}`);
