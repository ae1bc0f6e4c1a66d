/** Spans of a server, as a collector gets them. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectedSpan, startOtlpCollector } from '../support/otlp-collector.ts';
import { startTestServer } from '../support/test-server.ts';

const sentTrace = '0af7651916cd43dd8448eb211c80319c';

let directory: string;
let spans: readonly CollectedSpan[];
const calledWith: unknown[] = [];

const configure = async (name: string, lines: string): Promise<string> => {
  const file = path.join(directory, name);
  const head = 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\n';
  await writeFile(file, `${head}${lines}\n`);
  return `--tracing-config-file=${file}`;
};

/** What a server sends that answers these requests and ends. */
async function collected(samplingRatePerMillion: number): Promise<readonly CollectedSpan[]> {
  await using collector = await startOtlpCollector();
  const flag = await configure(
    'tracing.yaml',
    `endpoint: ${collector.endpoint}\nsamplingRatePerMillion: ${samplingRatePerMillion}`,
  );
  {
    await using webhook = await startTokenWebhook();
    const reviews = `--authentication-token-webhook-config-file=${webhook.kubeconfig}`;
    await using server = await startTestServer({ flags: [flag, reviews], settled: true });
    const maps = '/api/v1/namespaces/default/configmaps';
    const headers = { traceparent: `00-${sentTrace}-b7ad6b7169203331-01`, 'user-agent': 'tracer/1' };
    await server.send('POST', maps, { body: { metadata: { name: 'traced' } }, headers });
    await server.send('GET', `${maps}/traced`);
    await server.send('GET', maps);
    await server.send('PUT', `${maps}/traced`, { body: { metadata: { name: 'traced' }, data: { a: 'b' } } });
    await server.send('DELETE', `${maps}/traced`);
    await server.send('GET', `/version?access_token=secret`);
    await server.send('GET', `${maps}/absent`);
    await server.send('GET', '/healthz', { headers: { authorization: 'Bearer unknown' } });
  }
  return collector.spans;
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-tracing-'));
  spans = await collected(1_000_000);
});
afterAll(() => rm(directory, { recursive: true }));

const rootOf = (name: string): CollectedSpan => spans.find((span) => span.name === name && span.parentSpanId === '')!;
const childrenOf = ({ spanId }: CollectedSpan): CollectedSpan[] => spans.filter((span) => span.parentSpanId === spanId);
/** Names of what is below a span, and of what is below that. */
const treeOf = (span: CollectedSpan): unknown[] =>
  childrenOf(span).map((child) => [child.name, ...childrenOf(child).map(({ name }) => name)]);

const collection = '/api/v1/namespaces/{:namespace}/configmaps';

/** A webhook that knows no token. */
async function startTokenWebhook(): Promise<AsyncDisposable & { readonly kubeconfig: string }> {
  const server = http.createServer((request, response) => {
    calledWith.push(request.headers['traceparent']);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status: { authenticated: false } };
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(review)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const kubeconfig = path.join(directory, 'webhook.kubeconfig');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}/` } }],
      users: [{ name: 'u', user: {} }],
    }),
  );
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

describe('a server that traces all requests', () => {
  test.each([
    {
      name: `POST ${collection}`,
      below: [['Create', 'Mutating admission', 'Validating admission', 'Create etcd3', 'SerializeObject']],
    },
    { name: `GET ${collection}`, below: [['List', 'cacher.GetList', 'SerializeObject']] },
    { name: `GET ${collection}/{:name}`, below: [['Get', 'cacher.Get', 'SerializeObject']] },
    { name: 'GET', below: [] },
  ])('Sends the spans of $name', ({ name, below }) => {
    expect(treeOf(rootOf(name))).toEqual(below);
  });

  test('Sends the writes of the store as parts of the verbs that cause them', () => {
    const below = (name: string): string[] => childrenOf(childrenOf(rootOf(name))[0]!).map((child) => child.name);
    expect(below(`PUT ${collection}/{:name}`)).toContain('GuaranteedUpdate etcd3');
    expect(below(`DELETE ${collection}/{:name}`)).toContain('Delete etcd3');
  });

  test('Links what the client says, which is no parent', () => {
    const root = rootOf(`POST ${collection}`);
    expect(root.linkedTraceIds).toEqual([sentTrace]);
    expect(root.traceId).not.toBe(sentTrace);
    expect(root.service).toBe('apiserver');
    expect(new Set(childrenOf(root).map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
  });

  test('Says what was asked for, and no token', () => {
    expect(rootOf(`POST ${collection}`).attributes).toMatchObject({
      'http.method': 'POST',
      'http.target': '/api/v1/namespaces/default/configmaps',
      'http.status_code': '201',
      'user_agent.original': 'tracer/1',
      'audit-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    });
    expect(rootOf('GET').attributes['http.target']).toBe('/version?access_token=REDACTED');
  });

  test('Names what is read, written and sent as upstream does', () => {
    const [verb] = childrenOf(rootOf(`POST ${collection}`));
    const attributesOf = (name: string): unknown => childrenOf(verb!).find((span) => span.name === name)?.attributes;
    const auditId = verb!.attributes['audit-id'];
    expect(rootOf(`POST ${collection}`).attributes).toMatchObject({
      'http.scheme': 'https',
      'net.host.name': '127.0.0.1',
      'net.protocol.version': '1.1',
      'net.sock.peer.addr': '127.0.0.1',
    });
    expect(verb!.attributes).toMatchObject({
      accept: '',
      client: '127.0.0.1',
      'api-group': '',
      'api-version': 'v1',
      name: '',
      subresource: '',
      namespace: 'default',
      protocol: 'HTTP/1.1',
      resource: 'configmaps',
      scope: 'resource',
      url: '/api/v1/namespaces/default/configmaps',
      'user-agent': 'tracer/1',
      verb: 'POST',
    });
    expect(attributesOf('Create etcd3')).toEqual({
      'audit-id': auditId,
      key: '/registry/configmaps/default/traced',
      type: '*core.ConfigMap',
      resource: 'configmaps',
    });
    expect(attributesOf('SerializeObject')).toMatchObject({
      'audit-id': auditId,
      method: 'POST',
      url: '/api/v1/namespaces/default/configmaps',
      protocol: 'HTTP/1.1',
      mediaType: 'application/json',
    });
  });

  test('Tells webhooks which span calls them', () => {
    const calls = spans.filter(({ name }) => name === 'HTTP POST');
    expect(calls.length).toBeGreaterThan(0);
    expect(calledWith.slice(0, calls.length)).toEqual(calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
    expect(new Set(calls.map(({ parentSpanId }) => parentSpanId))).not.toContain('');
    expect(calls[0]!.attributes).toMatchObject({
      'http.method': 'POST',
      'http.status_code': '200',
      'net.peer.name': '127.0.0.1',
    });
  });

  test('Marks what failed', () => {
    const failed = spans.filter(({ failed }) => failed).map(({ name }) => name);
    expect(failed).toContain('Get');
    expect(failed.every((name) => name === 'Get')).toBe(true);
  });

  test('Sends times that are those of the work', () => {
    for (const span of spans) {
      const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
      if (parent !== undefined) expect(span.nanoseconds).toBeLessThanOrEqual(parent.nanoseconds + 1e6);
    }
  });
});

test('A server that samples no request sends no span, whatever the client asks for', async () => {
  expect(await collected(0)).toEqual([]);
});

test('A server whose collector is away answers, and ends in time', async () => {
  const endpoint = 'unix:///nowhere/collector.sock';
  const flag = await configure('away.yaml', `endpoint: ${endpoint}\nsamplingRatePerMillion: 1000000`);
  const server = await startTestServer({ flags: [flag] });
  expect((await server.send('GET', '/version')).status).toBe(200);
  await server[Symbol.asyncDispose]();
});

test('A configuration that is wrong ends the start, with its path and the reason', async () => {
  const flag = await configure('wrong.yaml', 'samplingRatePerMillion: -1');
  await expect(startTestServer({ flags: [flag] })).rejects.toThrow(
    `${flag.replace('=', ': ')}: failed to validate tracing configuration: samplingRatePerMillion: ` +
      'Invalid value: -1: sampling rate must be positive',
  );
});
