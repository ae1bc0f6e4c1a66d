import { goQuote } from '../go-quote.ts';

/** Go's scanner works on bytes: of a character beyond ASCII it shows the first byte. */
export function quoteCharacter(text: string, position: number, bytewise: boolean): string {
  if (position >= text.length) return "' '";
  const byte = bytewise
    ? text.charCodeAt(position)
    : Buffer.from(String.fromCodePoint(text.codePointAt(position)!), 'utf8')[0]!;
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
