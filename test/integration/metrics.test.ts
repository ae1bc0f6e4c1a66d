/** What /metrics shows of a server that was used. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ flags: ['--allow-privileged=false', '--feature-gates=ImageVolume=true'], settled: true });
});
afterAll(() => server[Symbol.asyncDispose]());

const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string, privileged = false): object => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged } }] } });
const lines = async (name: string): Promise<string[]> => (await server.send('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
/** Value of the series whose labels contain all of these. */
async function valueOf(name: string, ...labels: string[]): Promise<number | undefined> {
  const line = (await lines(name)).find((candidate) => labels.every((label) => candidate.includes(label)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}

describe('metrics', () => {
  test('of admission, by plugin and by phase', async () => {
    const created = ['operation="CREATE"', 'rejected="false"', 'type="admit"'];
    const name = 'apiserver_admission_controller_admission_duration_seconds_count';
    const before = (await valueOf(name, 'name="DefaultTolerationSeconds"', ...created)) ?? 0;
    await server.send('POST', pods, { body: pod('a') });
    expect(await valueOf(name, 'name="DefaultTolerationSeconds"', ...created)).toBe(before + 1);
    expect(await valueOf('apiserver_admission_step_admission_duration_seconds_count', ...created)).toBeGreaterThan(before);
    await server.send('POST', '/api/v1/namespaces/absent/pods', { body: pod('a') });
    expect(await valueOf(name, 'name="NamespaceLifecycle"', 'operation="CREATE"', 'rejected="true"', 'type="admit"')).toBe(1);
    expect(await valueOf('apiserver_admission_controller_admission_duration_seconds_bucket', 'name="NamespaceLifecycle"', 'le="+Inf"', 'rejected="true"')).toBe(1);
  });

  test('of health checks that were asked for', async () => {
    await server.send('GET', '/livez/ping');
    await server.send('GET', '/readyz');
    expect(await valueOf('kubernetes_healthcheck', 'name="ping"', 'type="livez"')).toBe(1);
    expect(await valueOf('kubernetes_healthchecks_total', 'name="informer-sync"', 'type="readyz"', 'status="success"')).toBe(1);
  });

  test('of the build and of feature gates', async () => {
    expect(await valueOf('kubernetes_build_info', 'major="1"', 'minor="32"', 'git_version="v1.32.')).toBe(1);
    expect(await valueOf('kubernetes_feature_enabled', 'name="ImageVolume"', 'stage="ALPHA"')).toBe(1);
    expect(await valueOf('kubernetes_feature_enabled', 'name="HPAScaleToZero"')).toBe(0);
  });

  test('of cluster IPs and node ports', async () => {
    const service = (name: string, more: object): object => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...more } });
    const post = (body: object) => server.send('POST', '/api/v1/namespaces/default/services', { body });
    await post(service('static', { clusterIP: '10.0.0.7' }));
    await post(service('dynamic', { type: 'NodePort' }));
    expect((await post(service('taken', { clusterIP: '10.0.0.7' }))).status).toBe(422);
    const cidr = 'cidr="10.0.0.0/24"';
    // The kubernetes service asked for its address too.
    expect(await valueOf('kube_apiserver_clusterip_allocator_allocation_total', cidr, 'scope="static"')).toBe(2);
    expect(await valueOf('kube_apiserver_clusterip_allocator_allocation_total', cidr, 'scope="dynamic"')).toBe(1);
    expect(await valueOf('kube_apiserver_clusterip_allocator_allocation_errors_total', cidr, 'scope="static"')).toBe(1);
    expect(await valueOf('kube_apiserver_clusterip_allocator_allocated_ips', cidr)).toBe(3);
    expect(await valueOf('kube_apiserver_clusterip_allocator_available_ips', cidr)).toBe(251);
    expect(await valueOf('kube_apiserver_clusterip_allocator_allocation_duration_seconds_count', cidr)).toBe(3);
    expect(await valueOf('kube_apiserver_nodeport_allocator_allocation_total', 'scope="dynamic"')).toBe(1);
    expect(await valueOf('kube_apiserver_nodeport_allocator_allocated_ports')).toBe(1);
  });

  test('of what a repair found, which the owners of the services are told as well', async () => {
    await using store = await openEmbeddedStore();
    const range = '/registry/ranges/serviceips';
    {
      await using first = await startTestServer({ store });
      const before = (await store.get(range)).kv!.value;
      await first.send('POST', '/api/v1/namespaces/default/services', { body: { metadata: { name: 's' }, spec: { clusterIP: '10.0.0.9', ports: [{ port: 80 }] } } });
      await store.update(range, before, (await store.get(range)).kv!.modRevision);
    }
    await using second = await startTestServer({ store });
    expect((await second.send('GET', '/metrics')).text).toContain('apiserver_clusterip_repair_ip_errors_total{type="repair"} 1');
    let events: { items: object[] } = { items: [] };
    while (events.items.length === 0) events = (await second.send('GET', '/api/v1/namespaces/default/events')).json();
    expect(events.items).toMatchObject([{
      type: 'Warning', reason: 'ClusterIPNotAllocated', message: 'Cluster IP [IPv4]:10.0.0.9 is not allocated; repairing', involvedObject: { kind: 'Service', name: 's' }, source: { component: 'ipallocator-repair-controller' },
    }]);
  });

  test('of deprecated APIs that were asked for', async () => {
    expect(await lines('apiserver_requested_deprecated_apis')).toEqual([]);
    await server.send('GET', '/api/v1/componentstatuses');
    expect(await valueOf('apiserver_requested_deprecated_apis', 'resource="componentstatuses"', 'version="v1"', 'removed_release=""')).toBe(1);
  });
});
