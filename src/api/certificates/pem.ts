/** PEM blocks. @see {@link https://www.rfc-editor.org/rfc/rfc7468 | RFC 7468}; headers are those of {@link https://www.rfc-editor.org/rfc/rfc1421#section-4.6 | RFC 1421} */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const block = /(?:^|\n)-----BEGIN ([^\r\n]*)-----[ \t]*\r?\n((?:[^:\r\n]+:[^\r\n]*\r?\n)*)([A-Za-z0-9+/=\s]*?)\r?\n?-----END \1-----[ \t]*(?=\r?\n|$)/g;

/** The blocks of a text in their order; what is between them, and what is no proper block, is skipped. */
export function readPem(text: string): PemBlock[] {
  return [...text.matchAll(block)].map(([, type = '', headers = '', body = '']) => ({ type, hasHeaders: headers !== '', bytes: Buffer.from(body, 'base64') }));
}
