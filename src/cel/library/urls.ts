/**
 * URLs as Go's net/url reads request URIs. @see {@link
 * https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library | Kubernetes URL library}
 */
import { type FunctionDeclaration, globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { mapType, opaqueType } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { readsFirst } from '../cost/sizes.ts';
import { ArrayList, CelError, EntryMap, Opaque, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';
import { replaceEach } from './search.ts';
import { B, S, strings } from './signatures.ts';

const L = opaqueType('kubernetes.URL');

class UrlValue extends Opaque {
  override readonly type = L;
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  /** As it came; percent escapes are there. */
  readonly path: string;
  readonly query: string;

  constructor(scheme: string, host: string, path: string, query: string) {
    super();
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }

  override equals(other: Opaque): boolean {
    return (
      other instanceof UrlValue &&
      this.scheme === other.scheme &&
      this.host === other.host &&
      this.path === other.path &&
      this.query === other.query
    );
  }
}

const control = /[\x00-\x1f\x7f]/;
const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?([\s\S]*))?$/;
const brokenEscape = /%(?![0-9a-fA-F]{2})/;
const hostCharacters =
  /^(?:\[[0-9A-Fa-f:.%a-z]+\]|[A-Za-z0-9!$&'()*+,;=._~"<>-]|[^\x00-\x7f]|%[0-9a-fA-F]{2})*(?::\d*)?$/;

const broken = (text: string, reason: string): CelError =>
  new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${reason}`);

function read(text: string): UrlValue | CelError {
  work(text.length / 4);
  if (control.test(text)) return broken(text, 'net/url: invalid control character in URL');
  if (text === '') return broken(text, 'empty url');
  const match = parts.exec(text)!;
  const [, scheme, authority, path = '', query = ''] = match;
  if (scheme === undefined && text.startsWith(':')) return broken(text, 'missing protocol scheme');
  // A request URI is a path from the root, or an absolute URL that has a host or a path from the root.
  if (!text.startsWith('/') && (scheme === undefined || (authority === undefined && !path.startsWith('/'))))
    return broken(text, 'invalid URI for request');
  if (scheme === undefined && authority !== undefined) return new UrlValue('', '', `//${authority}${path}`, query);
  const host = (authority ?? '').slice((authority ?? '').lastIndexOf('@') + 1);
  if (!hostCharacters.test(host))
    return broken(
      text,
      /:\D|:$/.test(host) && !host.includes(']')
        ? `invalid port ${JSON.stringify(host.slice(host.lastIndexOf(':')))} after host`
        : `invalid character ${JSON.stringify(/[^A-Za-z0-9.:-]/.exec(host)?.[0] ?? '')} in host name`,
    );
  if (brokenEscape.test(path))
    return broken(
      text,
      `invalid URL escape ${JSON.stringify(/%.{0,2}/s.exec(path.slice(path.search(brokenEscape)))![0])}`,
    );
  return new UrlValue((scheme ?? '').toLowerCase(), host, path, query);
}

const hostname = (host: string): string => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
const port = (host: string): string => /:(\d*)$/.exec(host)?.[1] ?? '';

/** Go escapes what a path may not have, and keeps escapes that are valid. */
const toEscape = /[^\x21\x23-\x3b\x3d\x40-\x5a\x5b\x5d\x5f\x61-\x7a\x7e%]|["<>^`{|}\\]/gu;
const escapedPath = (path: string): string => replaceEach(path, toEscape, 10, ([char]) => encodeURIComponent(char));

function query(text: string): EntryMap {
  work(text.length * 2);
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const cut = pair.indexOf('=');
    const key = decode(cut < 0 ? pair : pair.slice(0, cut));
    const value = decode(cut < 0 ? '' : pair.slice(cut + 1));
    if (key === undefined || value === undefined) continue;
    const list = values.get(key);
    if (list === undefined) values.set(key, [value]);
    else list.push(value);
  }
  const map = new EntryMap();
  for (const [key, list] of values) map.insert(key, new ArrayList(list));
  return map;
}

function decode(text: string): string | undefined {
  if (brokenEscape.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const reads = { cost: readsFirst as (...args: Value[]) => number, estimate: estimates.readsFirst };
const getter = (name: string, id: string, get: (url: UrlValue) => string): FunctionDeclaration => ({
  name,
  overloads: [memberOverload(id, [L], S, get)],
});

export const urls: Library = {
  functions: [
    { name: 'url', overloads: [globalOverload('string_to_url', [S], L, read, reads)] },
    {
      name: 'isURL',
      overloads: [globalOverload('is_url_string', [S], B, (text: string) => read(text) instanceof UrlValue)],
    },
    getter('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
    getter('getHost', 'url_get_host', ({ host }) => host),
    getter('getHostname', 'url_get_hostname', ({ host }) => hostname(host)),
    getter('getPort', 'url_get_port', ({ host }) => port(host)),
    getter('getEscapedPath', 'url_get_escaped_path', ({ path }) => escapedPath(path)),
    {
      name: 'getQuery',
      overloads: [memberOverload('url_get_query', [L], mapType(S, strings), (url: UrlValue) => query(url.query))],
    },
  ],
  types: new Map([['kubernetes.URL', L]]),
};
