/** `orch scheduler` as a process. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  spec: { schedulerName, containers: [{ name: 'c', image: 'i' }] },
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
    const { daemon } = await start(`--config=${file}`);
    await using _ = daemon;
    await daemon.warns('identity=other');
    const series = /apiserver_longrunning_requests\{[^}]*resource="csistoragecapacities"[^}]*\} (\d+)/;
    const count = (text: string): number => Number(series.exec(text)?.[1] ?? 0);
    const { body } = await api.until('admin', 'GET', '/metrics', (answer) => count(answer.body) === watches);
    expect(count(body as string)).toBe(watches);
  });

  test('--config that is wrong says where', async () => {
    const file = await write({ parallelism: 0 });
    await using daemon = new OrchProcess(['scheduler', `--config=${file}`]);
    expect((await daemon.exited).code).toBe(1);
    expect(daemon.errors).toContain(`--config: ${file}: parallelism: Invalid value: 0`);
  });
});
