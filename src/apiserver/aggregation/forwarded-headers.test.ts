import { describe, expect, test } from 'vitest';
import { runInSpan, type Span } from '../../base/span.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { Exchange } from '../../server/exchange.ts';
import { answerHeaders, forwardedHeaders, type ForwardingOptions, userHeaders } from './forwarded-headers.ts';

const plain: ForwardingOptions = { frontProxyHeaders: [], frontProxyPrefixes: [], tellUid: false };
const jane: UserInfo = { name: 'jane', uid: '42', groups: [] };

/** Of a request with these headers, names and values alternately. */
const forwarded = (raw: readonly string[], options = plain): Record<string, readonly string[]> => {
  const values = (name: string): string[] => raw.filter((_, i) => i % 2 === 1 && raw[i - 1] === name);
  const exchange = {
    headerNames: () => [...new Set(raw.filter((_, i) => i % 2 === 0))],
    headerValues: values,
    remoteAddress: '192.0.2.7',
  } as unknown as Exchange;
  return Object.fromEntries(
    forwardedHeaders({ exchange, auditId: 'id', user: jane, path: '/apis/a/v1', authority: '10.0.0.1:443' }, options),
  );
};

describe('a request that is passed on', () => {
  test('A request that is passed on names the caller, the request and the way here', () => {
    expect(forwarded([])).toEqual({
      'audit-id': ['id'],
      'x-forwarded-for': ['192.0.2.7'],
      'x-forwarded-host': ['10.0.0.1:443'],
      'x-forwarded-proto': ['https'],
      'x-forwarded-uri': ['/apis/a/v1'],
      'x-remote-user': ['jane'],
    });
  });

  test('A request that is passed on names the span of this server, and without one what its client says', () => {
    const [own, sent] = ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-clients'];
    const span: Pick<Span, 'traceparent' | 'isOpen'> = { traceparent: own, isOpen: true };
    expect(runInSpan(span as Span, () => forwarded(['traceparent', sent]))).toMatchObject({ traceparent: [own] });
    expect(forwarded(['traceparent', sent])).toMatchObject({ traceparent: [sent] });
  });

  test.each([
    'authorization',
    'proxy-authorization',
    'impersonate-user',
    'impersonate-group',
    'impersonate-uid',
    'impersonate-extra-scopes',
    'x-remote-group',
    'x-remote-uid',
    'x-remote-extra-scopes',
    'connection',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
    'proxy-connection',
    'expect',
    'host',
  ])('A request that is passed on does not have what the client sent as %s', (name) => {
    expect(forwarded([name, 'x'])).toEqual(forwarded([]));
  });

  test('A request that is passed on does not have what belongs to the connection by its own word', () => {
    expect(forwarded(['connection', 'close, X-Mine', 'x-mine', '1', 'x-other', '2'])).toMatchObject({
      'x-other': ['2'],
    });
    expect(forwarded(['connection', 'close, X-Mine', 'x-mine', '1'])).not.toHaveProperty('x-mine');
  });

  test('A request that is passed on does not have the headers by which a front proxy names users', () => {
    const options = { ...plain, frontProxyHeaders: ['x-my-user'], frontProxyPrefixes: ['x-my-extra-'] };
    expect(forwarded(['x-my-user', 'admin', 'x-my-extra-a', 'b'], options)).toEqual(forwarded([]));
  });

  test('A request that is passed on keeps repeated headers apart', () =>
    expect(forwarded(['x-a', '1', 'x-a', '2, 3'])['x-a']).toEqual(['1', '2, 3']));

  test('A request that is passed on does not show a token that came as a WebSocket protocol', () => {
    expect(
      forwarded(['sec-websocket-protocol', 'base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io'])[
        'sec-websocket-protocol'
      ],
    ).toEqual(['v4.channel.k8s.io']);
  });

  test('A request that is passed on asks in Kubernetes names', () => {
    expect(
      forwarded(['accept', 'application/vnd.orch.protobuf, application/json;as=Table;v=v1;g=meta.orch.io'])['accept'],
    ).toEqual(['application/vnd.kubernetes.protobuf, application/json;as=Table;v=v1;g=meta.k8s.io']);
  });
});

describe('the user in headers', () => {
  test('The user in headers has a header per group and per value, encoded keys, and text as UTF-8', () => {
    expect(
      userHeaders(
        { name: 'jürgen', uid: '7', groups: ['a', 'b, c'], extra: { 'Example.com/ü': ['1', '2'], none: [] } },
        false,
      ),
    ).toEqual([
      ['x-remote-user', [Buffer.from('jürgen').toString('latin1')]],
      ['x-remote-group', ['a', 'b, c']],
      ['x-remote-extra-example.com%2f%c3%bc', ['1', '2']],
    ]);
  });

  test('The user in headers has the uid where that is turned on', () => {
    expect(userHeaders(jane, true)).toEqual([
      ['x-remote-user', ['jane']],
      ['x-remote-uid', ['42']],
    ]);
  });
});

test('An answer comes without what is between two connections, and without words about browsers', () => {
  const headers = new Map([
    ['content-type', ['text/plain']],
    ['set-cookie', ['a', 'b']],
    ['connection', ['X-Mine']],
    ['x-mine', ['1']],
    ['transfer-encoding', ['chunked']],
    ['access-control-allow-origin', ['*']],
    ['audit-id', ['theirs']],
  ]);
  expect(answerHeaders(headers)).toEqual({ 'content-type': 'text/plain', 'set-cookie': ['a', 'b'] });
});
