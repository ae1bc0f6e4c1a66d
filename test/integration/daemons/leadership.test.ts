/** Several processes of a daemon: one works. Real processes, stopped, killed and paused by signals. */
import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { bundle } from '../../support/bundle.ts';
import { buildOrch, OrchProcess } from '../../support/orch-process.ts';
import { tokenKubeconfig, tokenKubeconfigText } from '../../support/token-kubeconfig.ts';

let api: ApiUsers;
let admin: string;
let program: string;

beforeAll(async () => {
  buildOrch();
  program = await bundle(new URL('../../support/counting-daemon.ts', import.meta.url));
  api = await startApiUsers({}, ['--authorization-mode=RBAC'], { fileCheckMs: 50 });
  admin = await tokenKubeconfig(api, 'admin');
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(program);
});

/** Short, with some time for a machine with other work. */
const times = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=200ms',
];

const leases = '/apis/coordination.k8s.io/v1/namespaces';

interface Lease {
  readonly holderIdentity: string;
  readonly leaseTransitions: number;
}

async function leaseOf(namespace: string, name: string): Promise<Lease | undefined> {
  const { status, body } = await api.call('admin', 'GET', `${leases}/${namespace}/leases/${name}`);
  return status === 404 ? undefined : (body.spec as Lease);
}

describe('controller managers', () => {
  const manager = (...flags: string[]): OrchProcess =>
    new OrchProcess(['controller-manager', `--kubeconfig=${admin}`, '--secure-port=0', ...times, ...flags]);

  test('At SIGTERM the leading controller manager gives up its lease, and the other one leads', async () => {
    await using first = manager();
    await first.warns('leading');
    await using second = manager();
    await second.warns('new leader');
    expect(second.errors).not.toContain(' leading');
    const { code } = await first.kill('SIGTERM');
    expect(code).toBe(0);
    expect(first.errors).toContain('no longer leading');
    await second.warns(' leading');
    const { code: last } = await second.kill('SIGINT');
    expect(last).toBe(0);
    expect(await leaseOf('orch-system', 'controller-manager')).toMatchObject({ holderIdentity: '' });
    const { body } = await api.call('admin', 'GET', '/api/v1/namespaces/orch-system/events');
    const told = (body.items as { reason: string; message: string; involvedObject: { kind: string } }[])
      .filter(({ reason }) => reason === 'LeaderElection')
      .map(({ message, involvedObject }) => `${involvedObject.kind} ${message.replace(/^\S+ /, '')}`);
    expect(told.toSorted()).toEqual([
      'Lease became leader',
      'Lease became leader',
      'Lease stopped leading',
      'Lease stopped leading',
    ]);
  });

  test('After kill -9 of the leading controller manager the other one leads when the lease has ended', async () => {
    await using first = manager();
    await first.warns('leading');
    const held = await leaseOf('orch-system', 'controller-manager');
    await using second = manager();
    await second.warns('new leader');
    await first.kill('SIGKILL');
    await second.warns(' leading');
    const taken = await leaseOf('orch-system', 'controller-manager');
    expect(taken!.holderIdentity).not.toBe(held!.holderIdentity);
    expect(taken!.leaseTransitions).toBe(held!.leaseTransitions + 1);
  });

  test('The lock of a controller manager in the place of the original is that of the original', async () => {
    await using daemon = new OrchProcess([
      'kube-controller-manager',
      `--kubeconfig=${admin}`,
      '--secure-port=0',
      ...times,
    ]);
    await daemon.warns('leading');
    expect((await leaseOf('kube-system', 'kube-controller-manager'))?.holderIdentity).not.toBe('');
  });

  test('With --leader-elect=false the controller manager works at once, without a lock', async () => {
    await using leader = manager('--controllers=ttl');
    await leader.warns('leading');
    await using other = manager('--leader-elect=false');
    await api.create('/apis/apps/v1/namespaces/default/replicasets', {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await api.until('admin', 'GET', '/api/v1/namespaces/default/pods', ({ body }) => body.items.length === 1);
    expect((await other.kill('SIGTERM')).code).toBe(0);
    expect(other.errors).not.toContain('leader');
  });

  test.each(['endpointsleases', 'configmapsleases'])('The lock can be of kind %s', async (kind) => {
    await using daemon = manager(`--leader-elect-resource-lock=${kind}`, `--leader-elect-resource-name=${kind}`);
    await daemon.warns('leading');
    const path = `/api/v1/namespaces/orch-system/${kind === 'endpointsleases' ? 'endpoints' : 'configmaps'}/${kind}`;
    const { body } = await api.call('admin', 'GET', path);
    const record = JSON.parse(body.metadata.annotations['control-plane.alpha.kubernetes.io/leader'] as string) as Lease;
    expect(record.holderIdentity).toBe((await leaseOf('orch-system', kind))!.holderIdentity);
  });
});

describe('what the leader writes', () => {
  const daemon = (name: string, ...flags: string[]): OrchProcess =>
    new OrchProcess([`--kubeconfig=${admin}`, `--name=${name}`, ...times, ...flags], program);
  const counts = async (): Promise<Readonly<Record<string, string>>> =>
    ((await api.call('admin', 'GET', '/api/v1/namespaces/default/configmaps/counts')).body.data ?? {}) as Record<
      string,
      string
    >;
  const counted = (name: string, more: number): Promise<void> =>
    expect.poll(async () => Number((await counts())[name] ?? 0), { timeout: 20_000 }).toBeGreaterThan(more);

  beforeEach(async () => {
    await api.call('admin', 'DELETE', '/api/v1/namespaces/default/configmaps/counts');
    await api.call('admin', 'DELETE', `${leases}/default/leases/counting-daemon`);
    await api.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'counts' } });
  });

  test('What the leader writes is refused after a pause that was longer than its lease', async () => {
    await using first = daemon('first');
    await counted('first', 10);
    await using second = daemon('second');
    await second.warns('new leader');
    first.send('SIGSTOP');
    await counted('second', 10);
    const atTakeover = (await counts())['first'];
    first.send('SIGCONT');
    expect((await first.exited).code).toBe(1);
    expect(first.errors).toContain('leader election lost: this process ends');
    await counted('second', Number((await counts())['second']));
    expect((await counts())['first']).toBe(atTakeover);
  });

  test('What the leader writes is over when the lease is, also where the work does not end by itself', async () => {
    await using first = daemon('first', '--hangs');
    await counted('first', 10);
    first.send('SIGSTOP');
    await using _second = daemon('second');
    await counted('second', 10);
    first.send('SIGCONT');
    expect((await first.exited).code).toBe(1);
    expect(first.errors).toContain('work did not end in time: the process ends');
  });

  test('A second signal ends the process at once', async () => {
    await using leader = daemon('leader', '--hangs');
    await counted('leader', 10);
    leader.send('SIGTERM');
    await leader.warns('stopping');
    expect((await leader.kill('SIGTERM')).code).toBe(143);
  });

  test('What the leader writes goes on after a pause that was shorter', async () => {
    await using leader = daemon('leader');
    await counted('leader', 10);
    leader.send('SIGSTOP');
    const paused = Number((await counts())['leader']);
    leader.send('SIGCONT');
    await counted('leader', paused + 10);
    expect(leader.errors).not.toContain('lost');
  });

  test('What the leader writes goes on with other credentials when the kubeconfig is replaced', async () => {
    const file = await tokenKubeconfig(api, 'admin', 'replaced');
    await using leader = daemon('leader', `--kubeconfig=${file}`);
    await counted('leader', 10);
    await writeFile(file, tokenKubeconfigText(api, 'unknown'));
    await leader.warns('not counted');
    await writeFile(file, tokenKubeconfigText(api, 'token-admin'));
    await counted('leader', Number((await counts())['leader']) + 10);
  });
});
