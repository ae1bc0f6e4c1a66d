/**
 * What a request may say in its header fields (RFC 9113, sections 8.2 and 8.3). Beyond that the same is refused, and in
 * the same words, as Go's server does.
 */

export interface RequestHead {
  /** By the `content-length` field. */
  readonly bodyBytes: number | undefined;
  /** To be answered like this, instead of being served. */
  readonly refusal?: Refusal;
}

export interface Refusal {
  readonly status: number;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

/** Of a request with more header fields than are taken. */
export const tooLarge: Refusal = {
  status: 431,
  fields: [['content-type', 'text/html; charset=utf-8']],
  text: '<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>',
};

const badRequest = (why: string): Refusal => ({
  status: 400,
  fields: [
    ['content-type', 'text/plain; charset=utf-8'],
    ['x-content-type-options', 'nosniff'],
  ],
  text: `${why}\n`,
});

/** RFC 9110, section 5.6.2, in lower case. */
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const methodToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const control = /[\x00-\x08\x0a-\x1f\x7f]/;
const digits = /^\d{1,15}$/;

/** Of one connection, as words of HTTP/1.1 (RFC 9113, section 8.2.2), with the names that Go's texts have. */
const ofHttp1: ReadonlyMap<string, string> = new Map(
  ['Connection', 'Keep-Alive', 'Proxy-Connection', 'Transfer-Encoding', 'Upgrade'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
);

/** Names that were looked at before: clients send the same few. */
const goodNames = new Set<string>();
const maxGoodNames = 1000;

/**
 * @param fields names and values alternately
 * @returns undefined for a malformed request, whose stream is to be reset
 */
export function checkRequest(fields: readonly string[]): RequestHead | undefined {
  const end = endOfPseudoFields(fields);
  if (!isTarget(fields, end)) return undefined;
  let bodyBytes: number | undefined;
  let refusal: Refusal | undefined;
  for (let i = end; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    // A pseudo-header field has no place here either: its colon is in no name.
    if (!isGoodName(name) || control.test(value)) return undefined;
    if (name === 'content-length') {
      if (!digits.test(value) || (bodyBytes ?? Number(value)) !== Number(value)) return undefined;
      bodyBytes = Number(value);
    } else if (ofHttp1.has(name))
      refusal ??= badRequest(`request header "${ofHttp1.get(name)}" is not valid in HTTP/2`);
    else if (name === 'te' && value !== 'trailers' && value !== '')
      refusal ??= badRequest('request header "TE" may only be "trailers" in HTTP/2');
  }
  return { bodyBytes, ...(refusal === undefined ? {} : { refusal }) };
}

const colon = ':'.charCodeAt(0);

function isGoodName(name: string): boolean {
  if (goodNames.has(name)) return true;
  if (!token.test(name)) return false;
  if (goodNames.size < maxGoodNames && name.length < 100) goodNames.add(name);
  return true;
}

function endOfPseudoFields(fields: readonly string[]): number {
  let end = 0;
  while (end < fields.length && fields[end]!.charCodeAt(0) === colon) end += 2;
  return end;
}

/** @param end of the pseudo-header fields, which nothing may be missing in, twice or too much */
function isTarget(fields: readonly string[], end: number): boolean {
  let method: string | undefined;
  let scheme: string | undefined;
  let path: string | undefined;
  let authority: string | undefined;
  for (let i = 0; i < end; i += 2) {
    const value = fields[i + 1]!;
    if (control.test(value)) return false;
    const name = fields[i];
    if (name === ':method' && method === undefined) method = value;
    else if (name === ':scheme' && scheme === undefined) scheme = value;
    else if (name === ':path' && path === undefined) path = value;
    else if (name === ':authority' && authority === undefined) authority = value;
    else return false;
  }
  // RFC 9113, section 8.5
  if (method === 'CONNECT') return scheme === undefined && path === undefined && authority !== undefined;
  return (
    method !== undefined &&
    methodToken.test(method) &&
    (scheme === 'https' || scheme === 'http') &&
    path !== undefined &&
    (path.startsWith('/') || path === '*')
  );
}

/** Trailers have no pseudo-header fields (RFC 9113, section 8.1). */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (!isGoodName(fields[i]!) || control.test(fields[i + 1]!)) return false;
  return true;
}
