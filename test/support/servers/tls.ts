/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, beforeAll } from 'vitest';
import { startTestServer, type TestServer } from '../caller.ts';
import { Openssl, type OpensslPair } from '../openssl.ts';

export let openssl: Openssl;

export let ca: OpensslPair;

export function startBeforeTests(): void {
  beforeAll(async () => {
    openssl = await Openssl.open();
    ca = await openssl.authority('serving-ca');
  });

  afterAll(() => openssl[Symbol.asyncDispose]());
}

export const serving = (commonName: string, ...names: string[]): Promise<OpensslPair> =>
  openssl.issue({
    subject: `/CN=${commonName}`,
    issuer: ca,
    extensions: ['extendedKeyUsage=serverAuth', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
  });

export const start = (...flags: string[]): Promise<TestServer> => startTestServer({ flags, fileCheckMs: 20 });
