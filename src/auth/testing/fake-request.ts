/** Requests as authenticators see them, for tests. */
import type { PeerCertificate, RequestFacts } from '../request-facts.ts';

export interface FakeRequest extends RequestFacts {
  /** What the caller was told. */
  readonly warnings: readonly string[];
}

/** @param headers name and value in turn, repeated ones included */
export function fakeRequest(
  headers: readonly string[] = [],
  {
    path = '/api',
    certificate,
    connection,
  }: { readonly path?: string; readonly certificate?: PeerCertificate; readonly connection?: object } = {},
): FakeRequest {
  const values = (name: string): string[] =>
    headers.filter((_, index) => index % 2 === 1 && headers[index - 1]!.toLowerCase() === name);
  const warnings: string[] = [];
  return {
    path,
    warnings,
    exchange: {
      upgrade: values('upgrade')[0],
      connection,
      headerValues: values,
      headerNames: () => [...new Set(headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()))],
      peerCertificate: () => certificate,
    },
    header: (name) => values(name)[0],
    warn: (text) => void warnings.push(text),
  };
}
