import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.ts';
import type { ApiRequest, ApiResponse } from './request.ts';

const request = (info: object, query = ''): ApiRequest =>
  ({ info: { isResourceRequest: true, verb: 'get', group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'team', name: 'p', path: '/', ...info }, query: new URLSearchParams(query) }) as unknown as ApiRequest;
const response = (status: number): ApiResponse => ({ status, headers: {} }) as ApiResponse;
const create = (): Metrics => new Metrics({ isServed: (_apiVersion, resource) => resource === 'pods', serverId: 'x' });

/** What /metrics shows of these. */
const shown = async (registry: Registry, ...names: string[]): Promise<string> =>
  (await Promise.all(names.map((name) => registry.getSingleMetricAsString(name)))).join('\n');

const names = ['apiserver_request_total', 'apiserver_request_duration_seconds', 'apiserver_response_sizes', 'apiserver_current_inflight_requests'];

/** The same metrics as prom-client has them. */
function reference(): { registry: Registry; observe(labels: Record<string, string>, code: string, seconds: number, bytes: number | undefined): void; inFlight: Gauge } {
  const registry = new Registry();
  const registers = [registry];
  const plain = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
  const total = new Counter({ name: names[0]!, help: 'Requests by verb, resource and answer code.', labelNames: [...plain, 'dry_run', 'code'], registers });
  const duration = new Histogram({
    name: names[1]!, help: 'Time from a request to its answer, in seconds.', labelNames: [...plain, 'dry_run'], registers,
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  });
  const size = new Histogram({ name: names[2]!, help: 'Bytes of answers.', labelNames: plain, buckets: [1000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9], registers });
  const inFlight = new Gauge({ name: names[3]!, help: 'Requests in work, by kind.', labelNames: ['request_kind'], registers });
  return {
    registry, inFlight,
    observe(labels, code, seconds, bytes) {
      const { dry_run: _, ...sizeLabels } = labels;
      total.inc({ ...labels, code });
      duration.observe(labels, seconds);
      if (bytes !== undefined) size.observe(sizeLabels, bytes);
    },
  };
}

describe('metrics of requests', () => {
  it('look as prom-client shows its own', async () => {
    const metrics = create();
    const expected = reference();
    expect(await shown(metrics.registry, ...names)).toBe(await shown(expected.registry, ...names));
    const labels = { verb: 'GET', dry_run: '', group: '', version: 'v1', resource: 'pods', subresource: '', scope: 'resource', component: 'apiserver' };
    for (const [code, seconds, bytes] of [[200, 0.005, 1000], [200, 0.0051, undefined], [404, 61, 120], [200, 1.1, 2e9]] as const) {
      metrics.observe(request({}), response(code), seconds, bytes);
      expected.observe(labels, String(code), seconds, bytes);
    }
    metrics.observe(request({ verb: 'delete' }, 'dryRun=All'), response(200), 0.3, undefined);
    expected.observe({ ...labels, verb: 'DELETE', dry_run: 'All' }, '200', 0.3, undefined);
    for (const count of [1, 2, 1]) {
      metrics.inFlight('mutating', count);
      expected.inFlight.set({ request_kind: 'mutating' }, count);
    }
    expect(await shown(metrics.registry, ...names)).toBe(await shown(expected.registry, ...names));
  });

  it('have one series for all that no resource answers to', async () => {
    const metrics = create();
    for (const resource of ['a', 'b']) metrics.observe(request({ resource }), response(404), 0.1, 10);
    const text = await shown(metrics.registry, ...names);
    expect(text.split('\n').filter((line) => line.includes('_total{'))).toEqual(['apiserver_request_total{verb="GET",dry_run="",group="other",version="other",resource="other",subresource="other",scope="resource",component="apiserver",code="404"} 2']);
    expect(text.split('\n').filter((line) => line.includes('_count{'))).toEqual([expect.stringMatching(/duration_seconds_count.* 2$/), expect.stringMatching(/sizes_count.* 2$/)]);
  });
});
