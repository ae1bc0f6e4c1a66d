/** Requests as authenticators see them, for tests. */
import { type Exchange, type PeerCertificate } from '../../server/exchange.ts';
import { ApiRequest } from '../request.ts';

/** @param headers name and value in turn, repeated ones included */
export function fakeRequest(
  headers: readonly string[] = [],
  {
    path = '/api',
    certificate,
    connection,
  }: { readonly path?: string; readonly certificate?: PeerCertificate; readonly connection?: object } = {},
): ApiRequest {
  const values = (name: string): string[] =>
    headers.filter((_, index) => index % 2 === 1 && headers[index - 1]!.toLowerCase() === name);
  const exchange: Exchange = {
    method: 'GET',
    target: path,
    httpVersion: '1.1',
    upgrade: values('upgrade')[0],
    remoteAddress: '192.0.2.1',
    connection,
    header: (name) => values(name)[0],
    headerValues: values,
    headerNames: () => [...new Set(headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()))],
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    bodyStream: () => undefined,
    peerCertificate: () => certificate,
    onClose: () => undefined,
  };
  return new ApiRequest(exchange, path, new URLSearchParams(), 'audit-id', 0);
}
