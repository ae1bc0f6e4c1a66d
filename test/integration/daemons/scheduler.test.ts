/** `orch scheduler` as a process. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { askDaemon } from '../../support/ask-daemon.ts';
import { buildOrch, OrchProcess } from '../../support/orch-process.ts';
import { freePorts } from '../../support/ports.ts';
import { tokenKubeconfig } from '../../support/token-kubeconfig.ts';

let api: ApiUsers;
let admin: string;
let folder: string;

beforeAll(async () => {
  buildOrch();
  folder = await mkdtemp(path.join(tmpdir(), 'orch-scheduler-'));
  api = await startApiUsers({}, ['--authorization-mode=RBAC']);
  admin = await tokenKubeconfig(api, 'admin');
  await api.create('/api/v1/nodes', { metadata: { name: 'node-0' } });
  await api.call('admin', 'PATCH', '/api/v1/nodes/node-0/status', {
    contentType: 'application/merge-patch+json',
    body: { status: { allocatable: { cpu: '8', memory: '8Gi', pods: '110' } } },
  });
  await api.call('admin', 'PATCH', '/api/v1/nodes/node-0', {
    contentType: 'application/merge-patch+json',
    body: { spec: { taints: null } },
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function start(...flags: string[]): Promise<{ daemon: OrchProcess; port: number }> {
  const [port] = await freePorts(1);
  const daemon = new OrchProcess(['scheduler', `--secure-port=${port}`, '--bind-address=127.0.0.1', ...flags]);
  await daemon.warns('serving');
  return { daemon, port: port! };
}

const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string, schedulerName = 'default-scheduler'): object => ({
  metadata: { name },
  spec: { schedulerName, containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '250m' } } }] },
});
const bound = (name: string) =>
  api.until('admin', 'GET', `${pods}/${name}`, ({ body }) => body.spec.nodeName === 'node-0');

test('It binds pods as the leader, is healthy and ready, and gives up its lease at the end', async () => {
  const { daemon, port } = await start(`--kubeconfig=${admin}`);
  await using _ = daemon;
  await daemon.warns('scheduling');
  await api.create(pods, pod('one'));
  await bound('one');
  expect((await askDaemon(port, '/healthz')).text).toBe('ok');
  expect((await askDaemon(port, '/readyz?verbose')).text).toContain('[+]sched-handler-sync ok');
  expect((await askDaemon(port, '/metrics')).status).toBe(403);
  expect((await daemon.kill('SIGTERM')).code).toBe(0);
  const { body } = await api.call(
    'admin',
    'GET',
    '/apis/coordination.k8s.io/v1/namespaces/orch-system/leases/scheduler',
  );
  expect(body.spec.holderIdentity).toBe('');
});

test('The scheduler serves profiles unless it is told not to', async () => {
  const flags = ['--authorization-always-allow-paths=*', '--leader-elect=false'];
  const { daemon, port } = await start(`--kubeconfig=${admin}`, ...flags);
  await using _ = daemon;
  const profile = await askDaemon(port, '/debug/pprof/goroutine?debug=1');
  expect([profile.status, profile.text]).toEqual([200, expect.stringMatching(/^goroutine profile: total/)]);
});

test('In the place of the original it has its lock', async () => {
  await using daemon = new OrchProcess(['kube-scheduler', `--kubeconfig=${admin}`, '--secure-port=0']);
  await daemon.warns('leading lock=kube-system/kube-scheduler');
});

describe('--config', () => {
  const write = async (more: object): Promise<string> => {
    const file = path.join(folder, 'config.yaml');
    await writeFile(
      file,
      JSON.stringify({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', ...more }),
    );
    return file;
  };

  test('--config says how the API server is reached, who leads, and which pods are scheduled', async () => {
    const file = await write({
      clientConnection: { kubeconfig: admin },
      leaderElection: { leaderElect: false },
      enableProfiling: false,
      profiles: [{ schedulerName: 'mine' }],
    });
    const { daemon, port } = await start(`--config=${file}`, '--authorization-always-allow-paths=*');
    await using _ = daemon;
    await daemon.warns('scheduling');
    await api.create(pods, pod('others'));
    await api.create(pods, pod('mine', 'mine'));
    await bound('mine');
    expect((await api.call('admin', 'GET', `${pods}/others`)).body.spec.nodeName).toBeUndefined();
    expect((await askDaemon(port, '/debug/pprof/')).status).toBe(404);
    const { text: metrics } = await askDaemon(port, '/metrics');
    for (const name of [
      'request_size_bytes_count{verb="POST"',
      'response_size_bytes_count{verb="POST"',
      'transport_cache_entries 1',
      'transport_create_calls_total{result="hit"}',
      'exec_plugin_ttl_seconds +Inf',
      'exec_plugin_certificate_rotation_age_count 0',
    ])
      expect(metrics).toContain(`rest_client_${name}`);
    const { text: resources } = await askDaemon(port, '/metrics/resources');
    expect(resources).toContain('# TYPE kube_pod_resource_request gauge');
    expect(resources).toContain(
      'kube_pod_resource_request{namespace="default",node="node-0",pod="mine",priority="0",resource="cpu",' +
        'scheduler="mine",unit="cores"} 0.25',
    );
    expect(daemon.errors).not.toContain('leader');
    const { text } = await askDaemon(port, '/configz');
    expect(JSON.parse(text)).toMatchObject({
      'kubescheduler.config.k8s.io': { profiles: [{ schedulerName: 'mine' }], enableProfiling: false },
    });
  });

  test('--config is written with all defaults by --write-config-to, and read again', async () => {
    const [given, written] = [await write({ podMaxBackoffSeconds: 20 }), path.join(folder, 'written.yaml')];
    await using first = new OrchProcess(['scheduler', `--config=${given}`, `--write-config-to=${written}`]);
    expect((await first.exited).code).toBe(0);
    expect(first.output).toBe(`Wrote configuration to: ${written}\n`);
    const text = await readFile(written, 'utf8');
    expect(text).toContain('podMaxBackoffSeconds: 20');
    expect(text).toContain('leaseDuration: 15s');
    const again = path.join(folder, 'again.yaml');
    await using second = new OrchProcess(['scheduler', `--config=${written}`, `--write-config-to=${again}`]);
    expect((await second.exited).code).toBe(0);
    expect(await readFile(again, 'utf8')).toBe(text);
  });

  test.each([
    { name: 'has read the cluster', delayCacheUntilActive: false, watches: 1 },
    { name: 'reads nothing with delayCacheUntilActive', delayCacheUntilActive: true, watches: 0 },
  ])('While another process leads it $name', async ({ delayCacheUntilActive, watches }) => {
    const resourceName = `lock-${watches}`;
    const now = new Date().toISOString().replace('Z', '000Z');
    await api.create('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', {
      metadata: { name: resourceName },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 3600, acquireTime: now, renewTime: now },
    });
    const file = await write({
      clientConnection: { kubeconfig: admin },
      leaderElection: { resourceName },
      delayCacheUntilActive,
    });
    const { daemon, port } = await start(`--config=${file}`, '--authorization-always-allow-paths=/metrics/resources');
    await using _ = daemon;
    await daemon.warns('identity=other');
    const series = /apiserver_longrunning_requests\{[^}]*resource="csistoragecapacities"[^}]*\} (\d+)/;
    const count = (text: string): number => Number(series.exec(text)?.[1] ?? 0);
    const { body } = await api.until('admin', 'GET', '/metrics', (answer) => count(answer.body) === watches);
    expect(count(body as string)).toBe(watches);
    // What pods ask for is counted by the leader alone.
    expect(await askDaemon(port, '/metrics/resources')).toMatchObject({ status: 200, text: '' });
  });

  test('--config that is wrong says where', async () => {
    const file = await write({ parallelism: 0 });
    await using daemon = new OrchProcess(['scheduler', `--config=${file}`]);
    expect((await daemon.exited).code).toBe(1);
    expect(daemon.errors).toContain(`--config: ${file}: parallelism: Invalid value: 0`);
  });
});

describe('a standby', () => {
  const election = ['--leader-elect-lease-duration=2s', '--leader-elect-renew-deadline=1s'];
  const candidate = () => start(`--kubeconfig=${admin}`, ...election, '--leader-elect-retry-period=200ms');
  const bindings = ['subresource="binding"', 'code="201"'];
  /** A watch is counted when it begins, and lists are streamed: each process has two. */
  const watches = ['resource="csistoragecapacities"'];
  /** Requests with these labels. */
  const count = async (labels: readonly string[]): Promise<number> => {
    const { body } = await api.call('admin', 'GET', '/metrics');
    return (body as string)
      .split('\n')
      .filter((line) => line.startsWith('apiserver_request_total{') && labels.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const onNode = async (): Promise<number> =>
    (await api.call('admin', 'GET', `${pods}?fieldSelector=spec.nodeName=node-0`)).body.items.length;
  /** Bound, or told why not. */
  const isJudged = ({ spec, status }: { spec: { nodeName?: string }; status: { conditions?: object[] } }): boolean =>
    spec.nodeName !== undefined || status.conditions !== undefined;

  test('A standby goes on from what it has read when the leader is killed, and binds nothing twice', async () => {
    const before = { pods: await onNode(), bindings: await count(bindings), watches: await count(watches) };
    const { daemon: leader } = await candidate();
    await using _ = leader;
    await leader.warns('leading lock=');
    const { daemon: standby } = await candidate();
    await using __ = standby;
    const open = /apiserver_longrunning_requests\{[^}]*resource="csistoragecapacities"[^}]*\} 2/;
    await api.until('admin', 'GET', '/metrics', ({ body }) => open.test(body as string));
    // The end of a streamed list can be counted after the watch that follows it has begun.
    await vi.waitFor(async () => expect(await count(watches)).toBe(before.watches + 4), { timeout: 10_000 });
    const names = Array.from({ length: 40 }, (_, i) => `load-${i}`);
    await Promise.all(names.slice(0, 20).map((name) => api.create(pods, pod(name))));
    await bound('load-0');
    await leader.kill('SIGKILL');
    await Promise.all(names.slice(20).map((name) => api.create(pods, pod(name))));
    await standby.warns('leading lock=');
    await api.until('admin', 'GET', pods, ({ body }) => body.items.every(isJudged));
    // Eight processors in quarters.
    expect(await onNode()).toBe(32);
    expect((await count(bindings)) - before.bindings).toBe(32 - before.pods);
    await standby.kill('SIGTERM');
    await api.until('admin', 'GET', '/metrics', ({ body }) => /csistoragecapacities[^}]*\} 0/.test(body as string));
    // The standby did not read the cluster again when it began to lead.
    expect(await count(watches)).toBe(before.watches + 4);
  });
});
