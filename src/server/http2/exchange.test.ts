import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { ServerStream } from '../../http2/server/stream.ts';
import { Http2Exchange } from './exchange.ts';

const head = [':method', 'GET', ':scheme', 'https', ':path', '/api?x=1', ':authority', 'localhost'];
const exchangeOf = (fields: readonly string[]): Http2Exchange =>
  new Http2Exchange({ fields: head.concat(fields) } as unknown as ServerStream, {} as TLSSocket);

test('The fields of a stream are the headers of the request', () => {
  const exchange = exchangeOf(['accept', 'a', 'impersonate-group', 'one', 'x', '', 'impersonate-group', 'two']);
  expect([exchange.method, exchange.target]).toEqual(['GET', '/api?x=1']);
  expect(exchange.headerNames()).toEqual(['accept', 'impersonate-group', 'x']);
  expect([exchange.header('impersonate-group'), exchange.header('x'), exchange.header('constructor')]).toEqual([
    'one',
    '',
    undefined,
  ]);
  expect([exchange.headerValues('impersonate-group'), exchange.headerValues('none')]).toEqual([['one', 'two'], []]);
});

// This needs no authentication: comparing each header with each would block for minutes here, and for seconds with the
// headers that fit into a request.
test('Many headers are listed and looked up without comparing each with each', () => {
  const names = Array.from({ length: 300_000 }, (_, i) => `x-${i}`);
  const exchange = exchangeOf(names.flatMap((name) => [name, name]));
  expect(exchange.headerNames()).toHaveLength(names.length);
  expect(names.every((name) => exchange.headerValues(name)[0] === name)).toBe(true);
});
