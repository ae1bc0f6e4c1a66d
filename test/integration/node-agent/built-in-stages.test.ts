import { describe, expect, test, vi } from 'vitest';
import { isReady, mainOf, pod, startHollowCluster } from './hollow-cluster.ts';

const job = { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }] };

describe('built-in stages', () => {
  test('A pod of a job succeeds after the time that its annotation says', async () => {
    await using cluster = await startHollowCluster();
    const { client, clock } = cluster;
    const annotations = { 'orch.io/hollow-run-seconds': '30' };
    const spec = { restartPolicy: 'Never' as const };
    await client.core.v1.pods.create(pod({ name: 'short', metadata: { ...job }, spec }));
    await client.core.v1.pods.create(pod({ name: 'long', metadata: { ...job, annotations }, spec }));
    await cluster.podUntil('short', isReady);
    await cluster.podUntil('long', isReady);
    clock.advance(1000);
    const short = await cluster.podUntil('short', ({ status }) => status.phase === 'Succeeded');
    expect(mainOf(short)!.state.terminated).toMatchObject({ reason: 'Completed' });
    expect((await client.core.v1.pods.namespace('default').get('long')).status.phase).toBe('Running');
    clock.advance(29_000);
    await cluster.podUntil('long', ({ status }) => status.phase === 'Succeeded');
  });

  test('Init containers of a hollow pod run one after the other, and a sidecar goes on', async () => {
    await using cluster = await startHollowCluster();
    const container = (name: string) => ({ name, image: 'registry.example/app:1', resources: {} });
    const initContainers = [container('first'), { ...container('side'), restartPolicy: 'Always' }, container('last')];
    await cluster.client.core.v1.pods.create(pod({ name: 'web', spec: { initContainers } }));
    const { status } = await cluster.podUntil('web', isReady);
    expect(status.initContainerStatuses).toMatchObject([
      { name: 'first', ready: true, state: { terminated: { reason: 'Completed' } } },
      { name: 'side', ready: true, started: true, state: { running: {} } },
      { name: 'last', ready: true, state: { terminated: { reason: 'Completed' } } },
    ]);
  });

  test('A pod becomes Ready when the conditions are true that its readiness gates name', async () => {
    await using cluster = await startHollowCluster();
    const pods = cluster.client.core.v1.pods.namespace('default');
    await pods.create(pod({ name: 'web', spec: { readinessGates: [{ conditionType: 'example.com/ready' }] } }));
    const waiting = await cluster.podUntil('web', ({ status }) => status.phase === 'Running');
    expect(waiting.status.conditions!.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
    });
    const conditions = [{ type: 'example.com/ready', status: 'True', reason: 'Checked' }];
    await pods.status.patch('web', { strategic: { status: { conditions } } });
    const { status } = await cluster.podUntil('web', isReady);
    expect(status.conditions!.find(({ type }) => type === 'example.com/ready')).toMatchObject({ reason: 'Checked' });
  });

  test('Unfinished work of a hollow pod that is deleted has failed', async () => {
    await using cluster = await startHollowCluster();
    const pods = cluster.client.core.v1.pods.namespace('default');
    await pods.create(pod({ name: 'work', spec: { restartPolicy: 'Never' } }));
    await cluster.podUntil('work', isReady);
    const states = cluster.statesUntilGone('work');
    await pods.delete('work');
    expect((await states).at(-1)!.status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 143, reason: 'Error' } } }],
    });
  });

  test('A node that dies renews no lease, and lives again', async () => {
    await using cluster = await startHollowCluster({ count: 1 });
    const { client, clock } = cluster;
    const leases = client.coordination.v1.leases.namespace('kube-node-lease');
    const renewTime = async () => (await leases.get('hollow-node-0')).spec.renewTime;
    const first = await vi.waitFor(renewTime, { timeout: 10_000 });
    const changed = async (before: unknown) => {
      clock.advance(1000);
      const now = await renewTime();
      expect(now).not.toBe(before);
      return now;
    };
    const second = await vi.waitFor(() => changed(first), { timeout: 10_000 });
    const annotate = (state: string | null) =>
      client.core.v1.nodes.patch('hollow-node-0', {
        merge: { metadata: { annotations: { 'orch.io/hollow-state': state } } },
      });
    await annotate('dead');
    // A pod that is bound to the dead node waits.
    await client.core.v1.pods.create(pod({ name: 'web' }));
    clock.advance(60_000);
    const silent = await renewTime();
    clock.advance(60_000);
    expect(await renewTime()).toBe(silent);
    expect((await client.core.v1.pods.namespace('default').get('web')).status.phase).toBe('Pending');
    await annotate(null);
    await cluster.podUntil('web', isReady);
    await vi.waitFor(() => changed(silent), { timeout: 10_000 });
    expect(second).not.toBe(first);
  });

  test('A node that is deleted is gone, with its lease', async () => {
    await using cluster = await startHollowCluster({ count: 1 });
    const { client, clock } = cluster;
    const leases = client.coordination.v1.leases.namespace('kube-node-lease');
    await vi.waitFor(() => leases.get('hollow-node-0'), { timeout: 10_000 });
    await client.core.v1.nodes.delete('hollow-node-0');
    await leases.delete('hollow-node-0');
    await vi.waitFor(async () => {
      clock.advance(60_000);
      expect((await leases.list()).items).toEqual([]);
    });
    expect((await client.core.v1.nodes.list()).items).toEqual([]);
  });
});
