/**
 * PEM blocks. @see {@link https://www.rfc-editor.org/rfc/rfc7468 | RFC 7468}; headers are those of {@link
 * https://www.rfc-editor.org/rfc/rfc1421#section-4.6 | RFC 1421}
 */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

/** A block that has begun: its headers come first, then its content. */
interface Open {
  readonly type: string;
  hasHeaders: boolean;
  /** Where the content begins; undefined while there may be headers. */
  contentStart: number | undefined;
}

const begin = '-----BEGIN ';
const end = '-----END ';
const dashes = '-----';
const contentLine = /^[A-Za-z0-9+/=\s]*$/;

/**
 * The blocks of a text in their order; what is between them, and what is no proper block, is skipped. Each line is
 * looked at once.
 */
export function readPem(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: Open | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, next).trimEnd();
    if (line.startsWith(begin) && line.endsWith(dashes) && line.length >= begin.length + dashes.length) {
      open = { type: line.slice(begin.length, -dashes.length), hasHeaders: false, contentStart: undefined };
    } else if (open !== undefined) {
      if (line === `${end}${open.type}${dashes}`) {
        blocks.push({
          type: open.type,
          hasHeaders: open.hasHeaders,
          bytes: Buffer.from(text.slice(open.contentStart ?? start, start), 'base64'),
        });
        open = undefined;
      } else if (open.contentStart === undefined && line.indexOf(':') > 0) open.hasHeaders = true;
      else if (contentLine.test(line)) open.contentStart ??= start;
      else open = undefined;
    }
    start = next;
  }
  return blocks;
}
