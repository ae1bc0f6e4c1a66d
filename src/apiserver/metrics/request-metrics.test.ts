import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';

const request = (info: object, query = ''): ApiRequest =>
  ({
    info: {
      isResourceRequest: true,
      verb: 'get',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      namespace: 'team',
      name: 'p',
      path: '/',
      ...info,
    },
    query: new URLSearchParams(query),
  }) as unknown as ApiRequest;
const response = (status: number): ApiResponse => ({ status, headers: {} }) as ApiResponse;
const served: ConstructorParameters<typeof RequestMetrics>[1] = {
  knows: (apiVersion, resource, subresource) =>
    resource === 'pods'
      ? ['', 'status'].includes(subresource)
        ? 'subresource'
        : 'resource'
      : apiVersion === 'remote/v1'
        ? 'version'
        : 'nothing',
};
const create = (settings = allMetrics): { registry: MetricRegistry; metrics: RequestMetrics } => {
  const registry = new MetricRegistry(settings);
  return { registry, metrics: new RequestMetrics(registry, served) };
};

/** What /metrics shows of these. */
const shown = async (registry: Registry, ...names: string[]): Promise<string> =>
  (await Promise.all(names.map((name) => registry.getSingleMetricAsString(name)))).join('\n');

const names = [
  'apiserver_request_total',
  'apiserver_request_duration_seconds',
  'apiserver_response_sizes',
  'apiserver_current_inflight_requests',
];

/** The same metrics as prom-client has them. */
function reference(): {
  registry: Registry;
  observe(labels: Record<string, string>, code: string, seconds: number, bytes: number | undefined): void;
  inFlight: Gauge;
} {
  const registry = new Registry();
  const registers = [registry];
  const plain = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
  const total = new Counter({
    name: names[0]!,
    help: '[STABLE] Requests by verb, resource and answer code.',
    labelNames: [...plain, 'dry_run', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: names[1]!,
    help: '[STABLE] Time from a request to its answer, in seconds.',
    labelNames: [...plain, 'dry_run'],
    registers,
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  });
  const size = new Histogram({
    name: names[2]!,
    help: '[STABLE] Bytes of answers.',
    labelNames: plain,
    buckets: [1000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9],
    registers,
  });
  const inFlight = new Gauge({
    name: names[3]!,
    help: '[STABLE] Requests in work, by kind.',
    labelNames: ['request_kind'],
    registers,
  });
  return {
    registry,
    inFlight,
    observe(labels, code, seconds, bytes) {
      const { dry_run: _, ...sizeLabels } = labels;
      total.inc({ ...labels, code });
      duration.observe(labels, seconds);
      if (bytes !== undefined) size.observe(sizeLabels, bytes);
    },
  };
}

describe('metrics of requests', () => {
  it('Metrics of requests are of sizes only where something was read', async () => {
    const { metrics, registry } = create();
    metrics.observe(request({ verb: 'create' }), response(201), 0.1, 500);
    expect(await shown(registry, 'apiserver_response_sizes')).not.toContain('_count{');
    metrics.observe(request({ verb: 'list', name: '' }), response(200), 0.1, 500);
    expect(await shown(registry, 'apiserver_response_sizes')).toContain('_count{verb="LIST"');
  });

  it.each([
    { name: 'a create', info: { verb: 'create', name: '' }, labels: ['POST', 'resource'] },
    { name: 'an update', info: { verb: 'update' }, labels: ['PUT', 'resource'] },
    { name: 'a patch', info: { verb: 'patch' }, labels: ['PATCH', 'resource'] },
    { name: 'an apply', info: { verb: 'patch' }, apply: true, labels: ['APPLY', 'resource'] },
    { name: 'a deletion of one object', info: { verb: 'delete' }, labels: ['DELETE', 'resource'] },
    { name: 'a deletion of all', info: { verb: 'deletecollection', name: '' }, labels: ['DELETE', 'namespace'] },
    { name: 'a list of all namespaces', info: { verb: 'list', name: '', namespace: '' }, labels: ['LIST', 'cluster'] },
    { name: 'a log', info: { subresource: 'log' }, labels: ['CONNECT', 'resource'] },
    { name: 'a way to a pod', info: { verb: 'create', subresource: 'exec' }, labels: ['CONNECT', 'resource'] },
    { name: 'a HEAD of a page', info: { verb: 'head', isResourceRequest: false }, labels: ['GET', ''] },
    { name: 'a method that nothing answers', info: { verb: 'brew', isResourceRequest: false }, labels: ['other', ''] },
  ])('Metrics of requests show $name as those of the reference do', async ({ info, apply, labels: [verb, scope] }) => {
    const { metrics, registry } = create();
    const contentType = apply === true ? 'application/apply-patch+yaml' : 'application/merge-patch+json';
    metrics.observe(Object.assign(request(info), { header: () => contentType }), response(200), 0.1, undefined);
    const [, found] = /^apiserver_request_total\{(.*)\}/m.exec(await shown(registry, 'apiserver_request_total'))!;
    expect(found).toMatch(new RegExp(`^verb="${verb}",.*,scope="${scope}",`));
  });

  it('Metrics of requests have the SLI duration, its old name only where hidden metrics are shown', async () => {
    const sli = async ({ metrics, registry }: ReturnType<typeof create>): Promise<string[]> => {
      metrics.observe(request({}, 'dryRun=All'), response(200), 0.04, undefined);
      return (await registry.metrics())
        .split('\n')
        .filter((line) => /request_sl[io]_duration_seconds_(bucket\{le="0.05"|count)/.test(line));
    };
    const labels =
      'verb="GET",group="",version="v1",resource="pods",subresource="",scope="resource",component="apiserver"';
    expect(await sli(create())).toEqual([
      `apiserver_request_sli_duration_seconds_bucket{le="0.05",${labels}} 1`,
      `apiserver_request_sli_duration_seconds_count{${labels}} 1`,
    ]);
    expect(await sli(create({ ...allMetrics, showHidden: true }))).toHaveLength(4);
  });

  it('Metrics of requests count what runs long while it does', async () => {
    const { metrics, registry } = create();
    const value = async (): Promise<string> =>
      (await shown(registry, 'apiserver_longrunning_requests')).split('\n').at(-1)!;
    const [first, second] = [
      metrics.longRunning(request({ verb: 'watch', name: '' })),
      metrics.longRunning(request({ verb: 'watch', name: '' })),
    ];
    const series =
      'apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="pods",subresource="",' +
      'scope="namespace",component="apiserver"}';
    expect(await value()).toBe(`${series} 2`);
    first();
    second();
    expect(await value()).toBe(`${series} 0`);
  });

  it('Metrics of requests look as prom-client shows its own', async () => {
    const { metrics, registry } = create();
    const expected = reference();
    expect(await shown(registry, ...names)).toBe(await shown(expected.registry, ...names));
    const labels = {
      verb: 'GET',
      dry_run: '',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      scope: 'resource',
      component: 'apiserver',
    };
    for (const [code, seconds, bytes] of [
      [200, 0.005, 1000],
      [200, 0.0051, undefined],
      [404, 61, 120],
      [200, 1.1, 2e9],
    ] as const) {
      metrics.observe(request({}), response(code), seconds, bytes);
      expected.observe(labels, String(code), seconds, bytes);
    }
    metrics.observe(request({ verb: 'delete' }, 'dryRun=All'), response(200), 0.3, undefined);
    expected.observe({ ...labels, verb: 'DELETE', dry_run: 'All' }, '200', 0.3, undefined);
    for (const count of [1, 2, 1]) {
      metrics.inFlight('mutating', count);
      expected.inFlight.set({ request_kind: 'mutating' }, count);
    }
    expect(await shown(registry, ...names)).toBe(await shown(expected.registry, ...names));
  });

  it('Metrics of requests say which API it is where only the resource is not known', async () => {
    const { metrics, registry } = create();
    for (const resource of ['a', 'b'])
      metrics.terminated(request({ group: 'remote', resource, subresource: 'c' }), 503, 'aggregator');
    const text = await shown(registry, 'apiserver_request_terminations_total');
    expect(text.split('\n').at(-1)).toBe(
      'apiserver_request_terminations_total{verb="GET",group="remote",version="v1",resource="other",' +
        'subresource="other",scope="resource",component="aggregator",code="503"} 2',
    );
  });

  it('Metrics of requests have one series for all subresources that a resource does not have', async () => {
    const { metrics, registry } = create();
    for (const subresource of ['status', 'a', 'b']) metrics.observe(request({ subresource }), response(404), 0.1, 10);
    const text = await shown(registry, 'apiserver_request_total');
    expect(
      text
        .split('\n')
        .filter((line) => line.includes('_total{'))
        .map((line) => /resource="pods",(subresource="[a-z]*").* (\d)$/.exec(line)?.slice(1)),
    ).toEqual([
      ['subresource="status"', '1'],
      ['subresource="other"', '2'],
    ]);
  });

  it('Metrics of requests have one series for all that no resource answers to', async () => {
    const { metrics, registry } = create();
    for (const resource of ['a', 'b']) metrics.observe(request({ resource }), response(404), 0.1, 10);
    const text = await shown(registry, ...names);
    expect(text.split('\n').filter((line) => line.includes('_total{'))).toEqual([
      'apiserver_request_total{verb="GET",dry_run="",group="other",version="other",resource="other",' +
        'subresource="other",scope="resource",component="apiserver",code="404"} 2',
    ]);
    expect(text.split('\n').filter((line) => line.includes('_count{'))).toEqual([
      expect.stringMatching(/duration_seconds_count.* 2$/),
      expect.stringMatching(/sizes_count.* 2$/),
    ]);
  });
});
