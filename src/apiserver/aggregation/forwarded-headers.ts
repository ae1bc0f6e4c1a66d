/**
 * The headers of a forwarded request, and of its response to the client. The aggregated server gets the user from this
 * server only: credentials are not forwarded, and headers of the client that name a user are dropped.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#original-request-username-and-group
 *   | Original request username and group}
 */
import { currentSpan } from '../../base/span.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { canonicalMediaType } from '../request/orch-names.ts';
import type { Exchange, HeaderMap } from '../../server/exchange.ts';

export type Headers = ReadonlyMap<string, readonly string[]>;

/** About one connection, not about the request (RFC 9110 section 7.6.1). */
const hopByHop = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];
/** What is said anew, or is none of the business of the server behind. */
const ownMatters = [
  'host',
  'expect',
  'authorization',
  'x-remote-user',
  'x-remote-uid',
  'x-remote-group',
  'impersonate-user',
  'impersonate-uid',
  'impersonate-group',
];
const ownPrefixes = ['x-remote-extra-', 'impersonate-extra-'];

export interface ForwardingOptions {
  /** The flags may give headers of front proxies other names; those are not for callers to say either. */
  readonly frontProxyHeaders: readonly string[];
  readonly frontProxyPrefixes: readonly string[];
  /** `RemoteRequestHeaderUID` */
  readonly tellUid: boolean;
  /** What is sent besides. */
  readonly added?: readonly (readonly [name: string, value: string])[];
}

export interface ForwardedRequest {
  readonly exchange: Exchange;
  readonly auditId: string;
  readonly user: UserInfo;
  /** As sent on. */
  readonly path: string;
  readonly authority: string;
}

/** The headers of a request without those about its connection, its credentials and its user. */
export function passedHeaders(exchange: Exchange, options: ForwardingOptions): Map<string, readonly string[]> {
  const dropped = new Set([
    ...hopByHop,
    ...ownMatters,
    ...options.frontProxyHeaders,
    ...namedByConnection(exchange.headerValues('connection')),
  ]);
  const prefixes = [...ownPrefixes, ...options.frontProxyPrefixes];
  const headers = new Map<string, readonly string[]>();
  for (const name of exchange.headerNames()) {
    if (!dropped.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)))
      headers.set(name, exchange.headerValues(name));
  }
  const subprotocols = withoutToken(headers.get('sec-websocket-protocol'));
  if (subprotocols !== undefined) headers.set('sec-websocket-protocol', subprotocols);
  return headers;
}

export function forwardedHeaders(
  { exchange, auditId, user, path, authority }: ForwardedRequest,
  options: ForwardingOptions,
): Headers {
  const headers = passedHeaders(exchange, options);
  for (const name of ['accept', 'content-type']) {
    const values = headers.get(name);
    if (values !== undefined) headers.set(name, values.map(canonicalMediaType));
  }
  headers.set('audit-id', [auditId]);
  const span = currentSpan();
  if (span !== undefined) headers.set('traceparent', [span.traceparent]);
  headers.set('x-forwarded-for', [[...exchange.headerValues('x-forwarded-for'), exchange.remoteAddress].join(', ')]);
  headers.set('x-forwarded-host', [authority]);
  headers.set('x-forwarded-proto', ['https']);
  headers.set('x-forwarded-uri', [path]);
  for (const [name, values] of userHeaders(user, options.tellUid)) headers.set(name, values);
  for (const [name, value] of options.added ?? []) headers.set(name, [value]);
  return headers;
}

/** A token can come in the place of a WebSocket protocol, which is then not for others to see. */
const withoutToken = (values: readonly string[] | undefined): readonly string[] | undefined =>
  values?.map((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => !part.startsWith('base64url.bearer.authorization.k8s.io.'))
      .join(', '),
  );

const namedByConnection = (values: readonly string[]): string[] =>
  values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase());

/** The user of the request, in the headers that servers behind a front proxy read. */
export function userHeaders({ name, uid, groups, extra = {} }: UserInfo, tellUid: boolean): [string, string[]][] {
  return [
    ['x-remote-user', [wire(name)]],
    ...(tellUid && uid !== undefined && uid !== '' ? [['x-remote-uid', [wire(uid)]] as [string, string[]]] : []),
    ...(groups.length === 0 ? [] : [['x-remote-group', groups.map(wire)] as [string, string[]]]),
    ...Object.entries(extra)
      .filter(([, values]) => values.length > 0)
      .map(([key, values]): [string, string[]] => [`x-remote-extra-${escapedKey(key)}`, values.map(wire)]),
  ];
}

/** A character for each byte of the UTF-8: Node writes headers as Latin-1. */
const wire = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/**
 * Percent-encoded where a header name cannot have the character (RFC 9110 section 5.6.2). Header names do not keep
 * capitals.
 */
const escapedKey = (key: string): string =>
  wire(key)
    .replace(/[^A-Za-z0-9!#$&'*+\-.^_`|~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .toLowerCase();

/** CORS headers come from this server only. */
const notForClients = new Set([
  ...hopByHop,
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'audit-id',
]);

/** The headers of an answer as they go to the client. */
export function answerHeaders(headers: Headers): HeaderMap {
  const named = new Set(namedByConnection(headers.get('connection') ?? []));
  const kept = [...headers].filter(([name]) => !notForClients.has(name) && !named.has(name));
  return Object.fromEntries(kept.map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}
