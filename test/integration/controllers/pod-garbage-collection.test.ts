import { expect, test, vi } from 'vitest';
import type { Pod } from '../../../src/api/gen/types/core-v1.ts';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import type { Input } from '../../../src/client/index.ts';
import { startControllerCluster } from './controller-cluster.ts';

const pod = (name: string, more: Input<Pod['spec']> = {}, finalizers: string[] = []): Input<Pod> => ({
  metadata: { name, namespace: 'default', finalizers },
  spec: { containers: [{ name: 'app', image: 'app:1' }], ...more },
});

test('Pods of a node that is gone, and pods that end without a node, are marked as failed and go', async () => {
  const clock = new FakeClock();
  await using cluster = await startControllerCluster({ controllers: ['podgc'], clock });
  const pods = cluster.client.core.v1.pods.namespace('default');
  await pods.create(pod('orphaned', { nodeName: 'nowhere' }));
  await pods.create(pod('unscheduled', {}, ['example.com/hold']));
  await pods.delete('unscheduled');
  await vi.waitFor(async () => {
    await clock.advance(20_000);
    expect((await pods.list()).items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`)).toEqual([
      'unscheduled Failed',
    ]);
  }, 10_000);
});
