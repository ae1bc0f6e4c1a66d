/**
 * What /metrics shows of a server that was used.
 *
 * One file because all tests look at one server, whose metrics the requests of the tests before have made.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { hasShared, sharedPath } from '../support/shared.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { pods, pod } from '../support/metrics-pod.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    flags: ['--allow-privileged=false', '--feature-gates=ImageVolume=true'],
    settled: true,
  });
});

afterAll(() => server[Symbol.asyncDispose]());

const lines = async (name: string): Promise<string[]> =>
  (await server.send('GET', '/metrics')).text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

/** Value of the series whose labels contain all of these. */
async function valueOf(name: string, ...labels: string[]): Promise<number | undefined> {
  const line = (await lines(name)).find((candidate) => labels.every((label) => candidate.includes(label)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}

describe('metrics', () => {
  test('There are metrics of admission, by plugin and by phase', async () => {
    const created = ['operation="CREATE"', 'rejected="false"', 'type="admit"'];
    const name = 'apiserver_admission_controller_admission_duration_seconds_count';
    const before = (await valueOf(name, 'name="DefaultTolerationSeconds"', ...created)) ?? 0;
    await server.send('POST', pods, { body: pod('a') });
    expect(await valueOf(name, 'name="DefaultTolerationSeconds"', ...created)).toBe(before + 1);
    expect(await valueOf('apiserver_admission_step_admission_duration_seconds_count', ...created)).toBeGreaterThan(
      before,
    );
    await server.send('POST', '/api/v1/namespaces/absent/pods', { body: pod('a') });
    expect(
      await valueOf(name, 'name="NamespaceLifecycle"', 'operation="CREATE"', 'rejected="true"', 'type="admit"'),
    ).toBe(1);
    expect(
      await valueOf(
        'apiserver_admission_controller_admission_duration_seconds_bucket',
        'name="NamespaceLifecycle"',
        'le="+Inf"',
        'rejected="true"',
      ),
    ).toBe(1);
  });

  test('Metrics of authentication have the result, and few user names', async () => {
    const attempts = async (result: string): Promise<number> =>
      (await valueOf('authentication_attempts', `result="${result}"`)) ?? 0;
    const users = async (name: string): Promise<number> =>
      (await valueOf('authenticated_user_requests', `username="${name}"`)) ?? 0;
    const before = {
      errors: await attempts('error'),
      successes: await attempts('success'),
      others: await users('other'),
    };
    expect((await server.send('GET', '/version', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect(await attempts('error')).toBe(before.errors + 1);
    expect(await valueOf('authentication_duration_seconds_count', 'result="error"')).toBe(before.errors + 1);
    await server.send('GET', '/version', { user: 'alice' });
    expect(await users('other')).toBe(before.others + 1);
    expect(await users('admin')).toBeGreaterThan(0);
    expect(await attempts('success')).toBeGreaterThan(before.successes);
    expect((await lines('authenticated_user_requests')).filter((line) => line.includes('alice'))).toEqual([]);
  });

  test('There are metrics of the time that filters take', async () => {
    const counts = () =>
      Promise.all(
        ['authentication', 'impersonation', 'authorization'].map(
          async (filter) =>
            (await valueOf('apiserver_request_filter_duration_seconds_count', `filter="${filter}"`)) ?? 0,
        ),
      );
    const before = await counts();
    await server.send('GET', '/version');
    for (const [i, count] of (await counts()).entries()) expect(count).toBeGreaterThan(before[i]!);
  });

  test('There are metrics of tokens that are remembered, and of those that are looked up', async () => {
    const asked = async (status: string): Promise<number> =>
      (await valueOf('authentication_token_cache_request_total', `status="${status}"`)) ?? 0;
    const [hits, misses] = [await asked('hit'), await asked('miss')];
    const failed = (await valueOf('authentication_token_cache_fetch_total', 'status="error"')) ?? 0;
    await server.send('GET', '/version', { headers: { authorization: 'Bearer nobody-knows' } });
    expect([
      await asked('miss'),
      await valueOf('authentication_token_cache_request_duration_seconds_count', 'status="miss"'),
    ]).toEqual([misses + 1, misses + 1]);
    expect((await valueOf('authentication_token_cache_fetch_total', 'status="error"')) ?? 0).toBeGreaterThanOrEqual(
      failed,
    );
    expect(await asked('hit')).toBeGreaterThan(hits);
    expect(await lines('authentication_token_cache_active_fetch_count')).toEqual([
      'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
      'authentication_token_cache_active_fetch_count{status="blocked"} 0',
    ]);
  });

  test('There are metrics of the time that client certificates have left', async () => {
    const name = 'apiserver_client_certificate_expiration_seconds';
    const before = (await valueOf(`${name}_count`))!;
    const config = await readFile(server.kubeconfigPath, 'utf8');
    const [cert, key] = ['certificate', 'key'].map((part) =>
      Buffer.from(new RegExp(`client-${part}-data: (\\S+)`).exec(config)![1]!, 'base64'),
    );
    const request = https.get(`${server.url}/version`, { ca: server.ca, cert, key, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(await valueOf(`${name}_count`)).toBe(before + 1);
    expect(await valueOf(`${name}_bucket`, 'le="604800"')).toBe(0);
  });

  test('There are metrics of the work beside requests, by queue', async () => {
    const queue = 'name="AvailableConditionController"';
    // The APIServices of this server are looked at when they were made.
    await vi.waitFor(
      async () => expect(await valueOf('workqueue_work_duration_seconds_count', queue)).toBeGreaterThan(0),
      { timeout: 20_000 },
    );
    expect(await valueOf('workqueue_adds_total', queue)).toBeGreaterThanOrEqual(
      (await valueOf('workqueue_queue_duration_seconds_count', queue))!,
    );
    for (const name of [
      'workqueue_depth',
      'workqueue_retries_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_longest_running_processor_seconds',
    ]) {
      expect(await valueOf(name, queue)).toBeGreaterThanOrEqual(0);
    }
  });

  test('There are metrics of health checks that were asked for', async () => {
    await server.send('GET', '/livez/ping');
    await server.send('GET', '/readyz');
    expect(await valueOf('kubernetes_healthcheck', 'name="ping"', 'type="livez"')).toBe(1);
    expect(
      await valueOf('kubernetes_healthchecks_total', 'name="informer-sync"', 'type="readyz"', 'status="success"'),
    ).toBe(1);
    const { text } = await server.send('GET', '/metrics/slis');
    expect(text).toMatch(/^kubernetes_healthcheck\{name="ping",type="livez"\} 1$/m);
    expect(text).not.toContain('apiserver_request_total');
  });

  test('There are metrics of bodies of writes, and of how unknown fields are judged', async () => {
    const body = pod('judged');
    await server.send('POST', `${pods}?fieldValidation=Strict`, { body });
    await server.send('POST', `${pods}?fieldValidation=Loose`, { body });
    expect(
      await valueOf('apiserver_request_body_size_bytes_sum', 'resource="pods"', 'verb="create"'),
    ).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(body)));
    const judged = 'field_validation_request_duration_seconds_count';
    expect(await valueOf(judged, 'field_validation="Strict"')).toBe(1);
    expect(await valueOf(judged, 'field_validation="invalid"')).toBe(1);
  });

  test('There are metrics of the build and of feature gates', async () => {
    expect(await valueOf('kubernetes_build_info', 'major="1"', 'minor="32"', 'git_version="v1.32.')).toBe(1);
    expect(await valueOf('kubernetes_feature_enabled', 'name="ImageVolume"', 'stage="ALPHA"')).toBe(1);
    expect(await valueOf('kubernetes_feature_enabled', 'name="HPAScaleToZero"')).toBe(0);
  });

  test('There are metrics of cluster IPs and node ports', async () => {
    const service = (name: string, more: object): object => ({
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...more },
    });
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

  test('There are metrics of what a repair found, which the owners of the services are told as well', async () => {
    await using store = await openEmbeddedStore();
    const range = '/registry/ranges/serviceips';
    {
      await using first = await startTestServer({ store });
      const before = (await store.get(range)).kv!.value;
      await first.send('POST', '/api/v1/namespaces/default/services', {
        body: { metadata: { name: 's' }, spec: { clusterIP: '10.0.0.9', ports: [{ port: 80 }] } },
      });
      await store.update(range, before, (await store.get(range)).kv!.modRevision);
    }
    await using second = await startTestServer({ store });
    expect((await second.send('GET', '/metrics')).text).toContain(
      'apiserver_clusterip_repair_ip_errors_total{type="repair"} 1',
    );
    let events: { items: object[] } = { items: [] };
    while (events.items.length === 0) events = (await second.send('GET', '/api/v1/namespaces/default/events')).json();
    expect(events.items).toMatchObject([
      {
        type: 'Warning',
        reason: 'ClusterIPNotAllocated',
        message: 'Cluster IP [IPv4]:10.0.0.9 is not allocated; repairing',
        involvedObject: { kind: 'Service', name: 's' },
        source: { component: 'ipallocator-repair-controller' },
      },
    ]);
  });

  test('There are metrics of deprecated APIs that were asked for', async () => {
    expect(await lines('apiserver_requested_deprecated_apis')).toEqual([]);
    await server.send('GET', '/api/v1/componentstatuses');
    expect(
      await valueOf(
        'apiserver_requested_deprecated_apis',
        'resource="componentstatuses"',
        'version="v1"',
        'removed_release=""',
      ),
    ).toBe(1);
  });

  test('There are metrics of the store and of the caches of resources', async () => {
    const names = '/api/v1/namespaces/default/configmaps';
    await server.send('POST', names, { body: { metadata: { name: 'counted', labels: { a: 'b' } } } });
    await server.send('GET', `${names}?labelSelector=a%3Db&resourceVersion=0`);
    await server.send('GET', `${names}/counted`);
    const watch = await server.send('GET', `${names}?watch=true&resourceVersion=0&timeoutSeconds=1`);
    expect(watch.text).toContain('"ADDED"');
    const resource = 'resource="configmaps"';
    expect(await valueOf('etcd_requests_total', 'operation="create"', 'type="configmaps"')).toBeGreaterThan(0);
    expect(await valueOf('etcd_request_duration_seconds_count', 'operation="create"', 'type="configmaps"')).toBe(
      await valueOf('etcd_requests_total', 'operation="create"', 'type="configmaps"'),
    );
    expect(await valueOf('apiserver_watch_cache_initializations_total', resource)).toBe(1);
    expect(await valueOf('apiserver_watch_cache_events_received_total', resource)).toBeGreaterThan(0);
    expect(await valueOf('apiserver_watch_cache_events_dispatched_total', resource)).toBeGreaterThan(0);
    expect(await valueOf('apiserver_watch_cache_resource_version', resource)).toBeGreaterThan(0);
    expect(await valueOf('apiserver_watch_cache_read_wait_seconds_count', resource)).toBeGreaterThan(0);
    expect(await valueOf('apiserver_init_events_total', resource)).toBeGreaterThan(0);
    expect(await valueOf('apiserver_storage_list_total', resource)).toBe(1);
    expect(await valueOf('apiserver_cache_list_total', 'resource_prefix="/configmaps"', 'index=""')).toBeGreaterThan(0);
    expect(
      await valueOf('apiserver_cache_list_fetched_objects_total', 'resource_prefix="/configmaps"', 'index=""'),
    ).toBeGreaterThan(0);
    expect(
      await valueOf('apiserver_cache_list_returned_objects_total', 'resource_prefix="/configmaps"'),
    ).toBeGreaterThan(0);
    expect(await valueOf('apiserver_watch_events_total', 'kind="ConfigMap"', 'version="v1"')).toBeGreaterThan(0);
    expect(await valueOf('apiserver_request_sli_duration_seconds_count', 'verb="GET"', 'resource="configmaps"')).toBe(
      1,
    );
    expect(await valueOf('apiserver_longrunning_requests', 'verb="WATCH"', 'resource="configmaps"')).toBe(0);
  });

  test('There are metrics of pods that were found by their node', async () => {
    await server.send('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn&resourceVersion=0');
    expect(await valueOf('apiserver_cache_list_total', 'resource_prefix="/pods"', 'index="f:spec.nodeName"')).toBe(1);
  });

  test('There are metrics of connections that failed before they said anything', async () => {
    const before = (await valueOf('apiserver_tls_handshake_errors_total'))!;
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(socket.resume(), 'close');
    expect(await valueOf('apiserver_tls_handshake_errors_total')).toBe(before + 1);
  });

  interface MetricFact {
    readonly type: string;
    readonly labels?: readonly string[];
    readonly constLabels?: Readonly<Record<string, string>>;
    readonly buckets?: readonly (number | string)[];
  }
  const labelsOf = ({ labels = [], constLabels = {} }: MetricFact): string[] =>
    [...labels, ...Object.keys(constLabels)].sort();
  // Histograms of ratios over time are histograms to those that read them.
  const shownType = (type: string): string => type.replace('TimingRatio', '').toLowerCase();

  const readFacts = (): Record<string, Record<string, Record<string, MetricFact>>> =>
    JSON.parse(readFileSync(sharedPath('facts/metrics.json'), 'utf8')) as never;

  test('There are metrics of rules, of Pod Security, and of watches that begin with a list', async () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'self.n < 3' }] };
    const spec = { type: 'object', properties: { n: { type: 'integer' } }, ...rules };
    const version = { name: 'v1', served: true, storage: true };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'counts.metrics.test' },
      spec: {
        group: 'metrics.test',
        scope: 'Namespaced',
        names: { plural: 'counts', kind: 'Count' },
        versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
      },
    };
    await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
    const counts = '/apis/metrics.test/v1/namespaces/default/counts';
    const count = { apiVersion: 'metrics.test/v1', kind: 'Count', metadata: { name: 'c' }, spec: { n: 1 } };
    await vi.waitFor(async () => expect((await server.send('POST', counts, { body: count })).status).toBe(201), {
      timeout: 20_000,
    });
    const patch = { body: { spec: { n: 2 } }, headers: { 'content-type': 'application/merge-patch+json' } };
    expect((await server.send('PATCH', `${counts}/c`, patch)).status).toBe(200);
    expect(await valueOf('apiserver_cel_compilation_duration_seconds_count')).toBe(1);
    expect(await valueOf('apiserver_cel_evaluation_duration_seconds_count')).toBe(2);
    expect(await valueOf('apiextensions_apiserver_validation_ratcheting_seconds_count')).toBe(1);
    expect(
      await valueOf('apiserver_request_timestamp_comparison_time_count', 'code_path="unequal_objects_fast"'),
    ).toBeGreaterThan(0);
    expect(await valueOf('pod_security_evaluations_total', 'decision="allow"', 'mode="enforce"')).toBeGreaterThan(0);
    expect(
      await valueOf('apiserver_admission_step_admission_duration_seconds_summary', 'quantile="0.99"'),
    ).toBeGreaterThan(0);
    expect(await valueOf('watch_cache_capacity', 'resource="configmaps"')).toBe(100);
    const listed = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    await server.send('GET', `/api/v1/namespaces/default/configmaps?watch=true&${listed}&timeoutSeconds=1`);
    expect(
      await valueOf('apiserver_watch_list_duration_seconds_count', 'resource="configmaps"', 'scope="namespace"'),
    ).toBe(1);
  });

  /** Shown once what they are about is configured. */
  const configured =
    /^apiserver_(envelope_encryption|encryption_config|externaljwt|rerouted|storage_(data_key|envelope|transf))/;
  /** Of daemons that call an API server, or that are elected. */
  const ofDaemons = /^(apiserver_delegated_|leader_election_|running_managed_controllers$|rest_client_)/;
  /** `docs/conformance.md` has the reasons. */
  const without = new Set([
    'aggregator_openapi_v2_regeneration_count',
    'aggregator_openapi_v2_regeneration_duration',
    'apiextensions_openapi_v2_regeneration_count',
    'apiextensions_openapi_v3_regeneration_count',
    'apiserver_kube_aggregator_x509_insecure_sha1_total',
    'apiserver_kube_aggregator_x509_missing_san_total',
    'apiserver_selfrequest_total',
    'apiserver_webhooks_x509_insecure_sha1_total',
    'apiserver_webhooks_x509_missing_san_total',
    'etcd_version_info',
  ]);

  test('All metrics of 1.32 are there that count something', { skip: !hasShared('facts/metrics.json') }, async () => {
    const facts = readFacts();
    const { text } = await server.send('GET', '/metrics');
    const shown = new Set(Array.from(text.matchAll(/^# HELP (\S+)/gm), ([, name]) => name));
    const missing = ['STABLE', 'BETA', 'ALPHA']
      .flatMap((level) => Object.entries({ ...facts[level]!['any'], ...facts[level]!['kube-apiserver'] }))
      .filter(([, fact]) => !('deprecatedVersion' in fact))
      .map(([name]) => name)
      .filter((name) => !shown.has(name) && !configured.test(name) && !ofDaemons.test(name));
    expect(missing.sort()).toEqual([...without]);
  });

  test('Metrics have the types, labels and buckets of 1.32', { skip: !hasShared('facts/metrics.json') }, async () => {
    const facts = readFacts();
    const known = new Map(
      ['STABLE', 'BETA', 'ALPHA'].flatMap((level) =>
        Object.values(facts[level]!).flatMap((metrics) =>
          Object.entries(metrics).map(([name, fact]) => [name, { level, ...fact }] as const),
        ),
      ),
    );
    const { text } = await server.send('GET', '/metrics');
    const wrong: string[] = [];
    for (const [, name = '', help = '', type = ''] of text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)) {
      // Those of the process, and our own.
      if (/^(process|nodejs|orch)_/.test(name)) continue;
      const fact = known.get(name);
      const series = text
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_bucket{`));
      const labels = [
        ...new Set(
          series.flatMap((line) =>
            [...line.slice(0, line.lastIndexOf('}')).matchAll(/[{,](\w+)="/g)].map(([, label]) => label!),
          ),
        ),
      ]
        .filter((label) => label !== 'le' && label !== 'quantile')
        .sort();
      const buckets = [...new Set(series.flatMap((line) => /[{,]le="([^"+]+)"/.exec(line)?.[1] ?? []))].map(Number);
      if (fact === undefined) wrong.push(`${name} is not in 1.32`);
      else if (!help.startsWith(`[${fact.level}] `)) wrong.push(`${name}: ${help}`);
      else if (fact.type !== 'Custom' && shownType(fact.type) !== type) wrong.push(`${name}: ${type}`);
      else if (series.length > 0 && !isDeepStrictEqual(labels, labelsOf(fact)))
        wrong.push(`${name}: labels ${labels.join()}, not ${labelsOf(fact).join()}`);
      else if (
        type === 'histogram' &&
        buckets.length > 0 &&
        fact.buckets !== undefined &&
        !isDeepStrictEqual(buckets, fact.buckets.map(Number))
      )
        wrong.push(`${name}: buckets ${buckets.join()}`);
    }
    expect(wrong).toEqual([]);
  });
});
