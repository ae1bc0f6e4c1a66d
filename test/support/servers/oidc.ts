/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { startTestServer, type TestServer } from '../caller.ts';
import { clientId, OidcIssuer } from '../oidc-issuer.ts';
import { Openssl } from '../openssl.ts';

export let openssl: Openssl;

export let issuer: OidcIssuer;

export function startBeforeTests(): void {
  beforeAll(async () => {
    openssl = await Openssl.open();
    issuer = await OidcIssuer.start(openssl);
  });

  afterAll(async () => {
    await issuer[Symbol.asyncDispose]();
    await openssl[Symbol.asyncDispose]();
  });
}

export const bearer = (token: string) => ({ headers: ['authorization', `Bearer ${token}`] });

export const whoIs = (server: TestServer, token: string): Promise<unknown> => server.whoAmI(bearer(token));

export const config = (jwt: unknown[], more: object = {}): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', jwt, ...more });

export const issuerConfig = (more: object = {}) => ({
  url: issuer.url,
  certificateAuthority: issuer.ca,
  audiences: [clientId],
  ...more,
});

export const named = { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } };

export let files = 0;

export async function withConfig(text: string, fileCheckMs?: number): Promise<{ server: TestServer; file: string }> {
  const file = await openssl.file(`authentication-${files++}.json`, text);
  return {
    file,
    server: await startTestServer({
      flags: ['--authentication-config', file],
      ...(fileCheckMs === undefined ? {} : { fileCheckMs }),
    }),
  };
}

/** The issuer is looked for beside the start. */
export const known = (server: TestServer, token: string) =>
  expect.poll(() => whoIs(server, token), { timeout: 10_000 });
