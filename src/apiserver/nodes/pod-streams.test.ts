/** Who speaks what: which request the node agent gets, and what the client is answered. */
import { duplexPair } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../server/exchange.ts';
import type { BackendRequest, Upgraded } from '../aggregation/backend-session.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { createCommand, createPortForward, type PodStreamOptions } from './pod-streams.ts';
import { throttlingOf } from './throttle.ts';

const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c' }] } };
const served = {
  store: { get: () => Promise.resolve(pod), decode: () => pod },
} as unknown as ServedResource;

const handshake = { 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-version': '13' };

function requestOf(headers: Readonly<Record<string, string>>): ApiRequest {
  const all: Readonly<Record<string, string>> = { host: 'api', ...headers };
  const exchange: Partial<Exchange> = {
    upgrade: all['upgrade']?.toLowerCase(),
    canChangeProtocol: true,
    canBecomeWebSocket: all['upgrade'] === 'websocket',
    header: (name) => all[name],
    headerValues: (name) => (all[name] === undefined ? [] : [all[name]]),
    headerNames: () => Object.keys(all),
    remoteAddress: '192.0.2.1',
  };
  return {
    exchange,
    method: 'GET',
    info: { group: '', resource: 'pods', namespace: 'x', name: 'p' },
    signal: new AbortController().signal,
    header: (name: string) => all[name],
  } as unknown as ApiRequest;
}

/** What the node agent is asked for at once; a translated command asks later. */
async function ask(kind: 'exec' | 'portforward', headers: Readonly<Record<string, string>>, gates: readonly string[]) {
  const asked: BackendRequest[] = [];
  const options = {
    findAgent: () => Promise.resolve({ host: '192.0.2.2', port: 10250 }),
    transport: {
      upgrade: (_: unknown, request: BackendRequest): Promise<Upgraded> => {
        asked.push(request);
        const upgrade = request.headers.get('upgrade')!;
        const stream = request.headers.get('x-stream-protocol-version') ?? [];
        const agreed = new Map([['connection', ['Upgrade']], ['upgrade', upgrade] as const]);
        if (stream.length > 0) agreed.set('x-stream-protocol-version', [stream[0]!]);
        return Promise.resolve({ status: 101, headers: agreed, connection: duplexPair()[0] });
      },
    },
    forwarding: { frontProxyHeaders: [], frontProxyPrefixes: [], tellUid: false },
    throttling: throttlingOf(0),
    featureEnabled: (gate: string) => gates.includes(gate),
    metrics: { translated: () => undefined, tunnelled: () => undefined },
  } as unknown as PodStreamOptions;
  const handler = kind === 'exec' ? createCommand('exec', options) : createPortForward(options);
  const wished: unknown = kind === 'exec' ? { command: ['a'], stdout: true } : {};
  const answer = await handler(served, requestOf(headers), wished as object);
  return { asked, answer };
}

const translation = 'TranslateStreamCloseWebsocketRequests';
const tunnels = 'PortForwardWebsockets';
const webSocket = (protocol: string) => ({
  connection: 'Upgrade',
  upgrade: 'websocket',
  ...handshake,
  'sec-websocket-protocol': protocol,
});
const v5 = 'v5.channel.k8s.io';
const tunnel = 'SPDY/3.1+portforward.k8s.io';

describe('streams of pods', () => {
  test.each([
    { name: 'a gate that is off', protocol: `${v5}, v4.channel.k8s.io`, gates: [] },
    { name: 'an older version', protocol: 'v4.channel.k8s.io', gates: [translation] },
    { name: 'no version', protocol: '', gates: [translation] },
  ])('A command over a WebSocket goes to the node agent as it is, with $name', async ({ protocol, gates }) => {
    const { asked, answer } = await ask('exec', webSocket(protocol), gates);
    expect([asked.length, answer.status, 'webSocket' in answer]).toEqual([1, 101, false]);
    expect(asked[0]).toMatchObject({ method: 'GET', target: '/exec/x/p/c?command=a&output=1' });
    expect(asked[0]!.headers.get('upgrade')).toEqual(['websocket']);
    expect(asked[0]!.headers.get('x-forwarded-for')).toEqual(['192.0.2.1']);
  });

  test('A command of version 5 becomes a WebSocket of the server before the node agent is asked', async () => {
    const { asked, answer } = await ask('exec', webSocket(`v4.channel.k8s.io, ${v5}`), [translation]);
    expect(asked).toEqual([]);
    expect(answer).toMatchObject({ status: 101, webSocket: { protocol: v5, isText: false } });
  });

  test('A port is forwarded through a WebSocket of the server, and SPDY to the node agent', async () => {
    const { asked, answer } = await ask('portforward', webSocket(`${tunnel}, SPDY/3.1+v9.k8s.io`), [tunnels]);
    expect(answer).toMatchObject({ status: 101, webSocket: { protocol: tunnel } });
    expect(asked[0]).toMatchObject({ method: 'POST', target: '/portForward/x/p' });
    expect(Object.fromEntries(asked[0]!.headers)).toEqual({
      host: ['api'],
      'x-forwarded-for': ['192.0.2.1'],
      connection: ['Upgrade'],
      upgrade: ['SPDY/3.1'],
      'x-stream-protocol-version': ['portforward.k8s.io', 'v9.k8s.io'],
    });
  });

  test.each([
    { name: 'a gate that is off', headers: webSocket(tunnel), gates: [], upgrade: 'websocket' },
    { name: 'an older version', headers: webSocket('v4.channel.k8s.io'), gates: [tunnels], upgrade: 'websocket' },
    {
      name: 'SPDY',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' },
      gates: [tunnels],
      upgrade: 'SPDY/3.1',
    },
  ])('A forwarded port goes to the node agent as it is, with $name', async ({ headers, gates, upgrade }) => {
    const { asked, answer } = await ask('portforward', headers, gates);
    expect([answer.status, 'webSocket' in answer]).toEqual([101, false]);
    expect([asked[0]!.method, asked[0]!.headers.get('upgrade')]).toEqual(['GET', [upgrade]]);
  });

  test.each([
    { name: 'key', headers: { 'sec-websocket-key': 'short' }, body: 'mismatch challenge/response' },
    { name: 'version', headers: { 'sec-websocket-version': '8' }, body: 'missing or bad WebSocket Version' },
  ])('A WebSocket with a wrong $name is refused, and no node agent is asked', async ({ headers, body }) => {
    for (const [kind, protocol] of [
      ['exec', v5],
      ['portforward', tunnel],
    ] as const) {
      const { asked, answer } = await ask(kind, { ...webSocket(protocol), ...headers }, [translation, tunnels]);
      expect([asked.length, answer]).toEqual([0, expect.objectContaining({ status: 400, body })]);
    }
  });

  test('A request without an upgrade is refused', async () => {
    await expect(ask('exec', {}, [])).rejects.toThrow('Upgrade request required');
  });
});
