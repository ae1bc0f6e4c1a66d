/**
 * The table that both peers know from the start.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541#appendix-A | RFC 7541, appendix A}
 */

// prettier-ignore
const entries: ReadonlyArray<readonly [name: string, value: string]> = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language', ''],
  ['accept-ranges', ''],
  ['accept', ''],
  ['access-control-allow-origin', ''],
  ['age', ''],
  ['allow', ''],
  ['authorization', ''],
  ['cache-control', ''],
  ['content-disposition', ''],
  ['content-encoding', ''],
  ['content-language', ''],
  ['content-length', ''],
  ['content-location', ''],
  ['content-range', ''],
  ['content-type', ''],
  ['cookie', ''],
  ['date', ''],
  ['etag', ''],
  ['expect', ''],
  ['expires', ''],
  ['from', ''],
  ['host', ''],
  ['if-match', ''],
  ['if-modified-since', ''],
  ['if-none-match', ''],
  ['if-range', ''],
  ['if-unmodified-since', ''],
  ['last-modified', ''],
  ['link', ''],
  ['location', ''],
  ['max-forwards', ''],
  ['proxy-authenticate', ''],
  ['proxy-authorization', ''],
  ['range', ''],
  ['referer', ''],
  ['refresh', ''],
  ['retry-after', ''],
  ['server', ''],
  ['set-cookie', ''],
  ['strict-transport-security', ''],
  ['transfer-encoding', ''],
  ['user-agent', ''],
  ['vary', ''],
  ['via', ''],
  ['www-authenticate', ''],
];

/** How many entries there are; the first has index 1, the dynamic table goes on behind the last. */
export const staticEntries = entries.length;

/** By index; there is none at 0. */
export const staticNames: readonly string[] = ['', ...entries.map(([name]) => name)];
export const staticValues: readonly string[] = ['', ...entries.map(([, value]) => value)];

/** The index of an entry with this name, and with this value too when `whole`. */
export interface StaticMatch {
  readonly index: number;
  readonly whole: boolean;
}

/** The best entry for a field; undefined when none has its name. */
export function matchStatic(name: string, value: string): StaticMatch | undefined {
  const first = staticNames.indexOf(name, 1);
  if (first < 0) return undefined;
  for (let index = first; staticNames[index] === name; index++) {
    if (staticValues[index] === value) return { index, whole: true };
  }
  return { index: first, whole: false };
}
