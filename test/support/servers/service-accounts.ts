/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { type Answer, startTestServer, type TestServer } from '../caller.ts';
import { Openssl } from '../openssl.ts';

export const admin = ['authorization', 'Bearer admin-token'];

export const issuer = 'https://issuer.example.com';

export const oldIssuer = 'https://old.example.com';

export const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
  key.export({ type: 'pkcs8', format: 'pem' }) as string;

export const spki = (key: ReturnType<typeof generateKeyPairSync>['publicKey']) =>
  key.export({ type: 'spki', format: 'pem' }) as string;

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

export const old = generateKeyPairSync('ec', { namedCurve: 'P-384' });

export let openssl: Openssl;

export let server: TestServer;

export function startBeforeTests(): void {
  beforeAll(async () => {
    openssl = await Openssl.open();
    server = await startTestServer({
      flags: [
        '--token-auth-file',
        await openssl.file('tokens.csv', 'admin-token,admin,1,"system:masters"\n'),
        '--service-account-signing-key-file',
        await openssl.file('sa.key', pem(rsa.privateKey)),
        '--service-account-key-file',
        await openssl.file('sa.pub', spki(rsa.publicKey)),
        '--service-account-key-file',
        await openssl.file('old.pub', spki(old.publicKey)),
        '--service-account-issuer',
        issuer,
        '--service-account-issuer',
        oldIssuer,
        '--api-audiences=api,other',
        '--service-account-max-token-expiration=48h',
      ],
    });
  });

  afterAll(async () => {
    await server.close();
    await openssl[Symbol.asyncDispose]();
  });
}

export const send = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.call({ method, path, headers: admin, ...(body === undefined ? {} : { body }) });

export const core = (path: string): string => `/api/v1/namespaces/default/${path}`;

export async function create(path: string, body: object): Promise<{ metadata: { uid: string } }> {
  const answer = await send('POST', path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as { metadata: { uid: string } };
}

export let count = 0;

/** A service account of its own per test. */
export async function account(): Promise<{ name: string; uid: string }> {
  const name = `account-${++count}`;
  const { metadata } = await create(core('serviceaccounts'), { metadata: { name } });
  return { name, uid: metadata.uid };
}

export const whoIs = (token: string): Promise<unknown> =>
  server.whoAmI({ headers: ['authorization', `Bearer ${token}`] });

export const review = async (token: string, audiences?: string[]): Promise<unknown> =>
  (
    (
      await send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token, ...(audiences === undefined ? {} : { audiences }) },
      })
    ).body as { status: unknown }
  ).status;
