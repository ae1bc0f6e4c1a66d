import { expect, test } from 'vitest';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { peerProxy, type PeerProxyOptions } from './peer-proxy.ts';

const own: ApiResponse = { status: 404, headers: {}, body: 'own' };
const peers: ApiResponse = { status: 201, headers: {}, body: 'of a peer' };

function requestFor(path: string, headers: Readonly<Record<string, string>> = {}): ApiRequest {
  const info = parseRequestInfo('GET', path, new URLSearchParams());
  return { info, exchange: { header: (name: string) => headers[name] } } as unknown as ApiRequest;
}

const addresses: Readonly<Record<string, { host: string; port: number }>> = {
  b: { host: '192.0.2.2', port: 6443 },
  c: { host: '192.0.2.3', port: 6443 },
};

function asked(path: string, options: Partial<PeerProxyOptions> = {}, headers?: Readonly<Record<string, string>>) {
  const sent: string[] = [];
  const codes: number[] = [];
  const filter = peerProxy({
    isServed: (apiVersion) => apiVersion === 'v1',
    serversOf: (group, apiVersion, resource) =>
      group === 'batch' && apiVersion === 'batch/v2' && resource === 'jobs' ? ['b', 'c'] : [],
    addressOf: async (server) => addresses[server],
    send: async (_, { host }) => {
      sent.push(host);
      return peers;
    },
    onRerouted: (code) => codes.push(code),
    random: () => 0.5,
    ...options,
  });
  const answer = Promise.resolve(filter(requestFor(path, headers), async () => own));
  return answer.then((given) => ({ answer: given, sent, codes }));
}

const jobs = '/apis/batch/v2/namespaces/default/jobs/a';

test('A request for what another server serves goes to one of those, and its code is counted', async () => {
  expect(await asked(jobs)).toEqual({ answer: peers, sent: ['192.0.2.3'], codes: [201] });
});

test.each([
  { name: 'for what is served here', path: '/api/v1/pods' },
  { name: 'for what no server serves', path: '/apis/batch/v3/jobs' },
  { name: 'for no resource', path: '/healthz' },
  { name: 'that has come from another server', path: jobs, headers: { 'x-kubernetes-peer-proxied': 'true' } },
])('A request $name is answered here', async ({ path, headers }) => {
  expect(await asked(path, {}, headers)).toEqual({ answer: own, sent: [], codes: [] });
});

test('A server that is gone is passed over', async () => {
  const addressOf = async (server: string) => (server === 'c' ? undefined : addresses[server]);
  expect((await asked(jobs, { addressOf })).sent).toEqual(['192.0.2.2']);
});

test.each([
  { name: 'are gone', addressOf: async () => undefined },
  { name: 'cannot be looked up', addressOf: () => Promise.reject(new Error('the store is away')) },
])('A request is answered with 503 when all servers that serve it $name', async ({ addressOf }) => {
  await expect(asked(jobs, { addressOf })).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'Error getting ip and port info of the remote server while proxying',
  });
});
