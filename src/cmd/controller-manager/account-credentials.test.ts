import { expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createClient } from '../../client/client.ts';
import type { TransportRequest } from '../../client/transport/message.ts';
import { accountCredentials } from './account-credentials.ts';

/** An API server that knows one account, once it was created. */
function server({ exists = true }: { exists?: boolean } = {}) {
  const asked: string[] = [];
  const state = { exists, isAway: false, tokens: 0 };
  const answer = ({ method, path }: TransportRequest): [number, object] => {
    asked.push(`${method} ${path}`);
    if (state.isAway) return [403, { kind: 'Status', apiVersion: 'v1', code: 403, reason: 'Forbidden' }];
    if (path.endsWith('/token'))
      return state.exists
        ? [
            201,
            {
              kind: 'TokenRequest',
              apiVersion: 'authentication.k8s.io/v1',
              spec: { audiences: [] },
              status: { token: `token-${++state.tokens}`, expirationTimestamp: '2030-01-01T00:00:00Z' },
            },
          ]
        : [404, { kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound' }];
    state.exists = true;
    return [201, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'a' } }];
  };
  const clock = new FakeClock();
  const client = createClient(
    { url: 'https://api' },
    {
      contentType: 'application/json',
      qps: 0,
      transport: {
        send: (request) => {
          const [status, body] = answer(request);
          return Promise.resolve({
            status,
            headers: new Map([['content-type', 'application/json']]),
            body: (async function* () {
              yield Buffer.from(JSON.stringify(body));
            })(),
          });
        },
        close: () => Promise.resolve(),
      },
    },
  );
  return { asked, state, clock, credentials: accountCredentials(client, 'a', { log: silentLogger, clock }) };
}

const token = 'POST /api/v1/namespaces/kube-system/serviceaccounts/a/token';

test('A token is asked for once, and again before its end', async () => {
  const { asked, clock, credentials } = server();
  const both = await Promise.all([credentials.authorization(), credentials.authorization()]);
  expect(both).toEqual(['Bearer token-1', 'Bearer token-1']);
  await clock.advance(47 * 60_000);
  expect(await credentials.authorization()).toBe('Bearer token-1');
  await clock.advance(60_000);
  expect(await credentials.authorization()).toBe('Bearer token-2');
  expect(asked).toEqual([token, token]);
});

test('The account is made where it is missing', async () => {
  const { asked, credentials } = server({ exists: false });
  expect(await credentials.authorization()).toBe('Bearer token-1');
  expect(asked).toEqual([token, 'POST /api/v1/namespaces/kube-system/serviceaccounts', token]);
});

test('A token that the server refuses is replaced', async () => {
  const { credentials } = server();
  await credentials.authorization();
  expect(await credentials.onUnauthorized('Bearer token-1')).toBe(true);
  expect(await credentials.authorization()).toBe('Bearer token-2');
  // Another request was refused with the one from before.
  expect(await credentials.onUnauthorized('Bearer token-1')).toBe(true);
  expect(await credentials.authorization()).toBe('Bearer token-2');
});

test('While no token can be had, the one from before is shown; without any, the request fails', async () => {
  const { clock, credentials, state } = server();
  await credentials.authorization();
  state.isAway = true;
  await clock.advance(50 * 60_000);
  expect(await credentials.authorization()).toBe('Bearer token-1');
  const other = server();
  other.state.isAway = true;
  await expect(other.credentials.authorization()).rejects.toMatchObject({ code: 403 });
});
