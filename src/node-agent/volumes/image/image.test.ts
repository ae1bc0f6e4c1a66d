import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { podOf } from '../../pod-lifecycle/testing/states.ts';
import { simulateNode } from '../../pods/testing/simulated-node.ts';

const pod = podOf({ main: ['a'] });

const podWith = (image: { readonly reference: string; readonly pullPolicy?: string }): Pod =>
  ({
    ...pod,
    spec: {
      ...pod.spec,
      containers: pod.spec.containers!.map((container) => ({
        ...container,
        volumeMounts: [{ name: 'v', mountPath: '/data' }],
      })),
      volumes: [{ name: 'v', image }],
    },
    status: {},
  }) as Pod;

const nodeWith = (hasImageVolumes: boolean) =>
  simulateNode({
    config: { gates: { hasUserNamespaces: false, hasResize: false, hasTrustBundles: false, hasImageVolumes } },
  });

describe('Volumes of images', () => {
  test.each([
    { name: 'is pulled', reference: 'files:1', pulls: ['pullImage files:1'] },
    { name: 'is there', reference: 'image:1', pulls: [] },
    { name: 'is to be pulled always', reference: 'image:1', pullPolicy: 'Always', pulls: ['pullImage image:1'] },
  ])('The runtime mounts an image, read only, that $name', async ({ reference, pullPolicy, pulls }) => {
    const node = await nodeWith(true);
    node.workers.set(podWith({ reference, ...(pullPolicy === undefined ? {} : { pullPolicy }) }));
    await node.settle();
    expect(node.statusOf()?.phase).toBe('Running');
    expect(node.containers.calls.filter((call) => call.startsWith('pullImage'))).toEqual(pulls);
    expect(node.containers.configs.get('a')?.mounts?.find(({ containerPath }) => containerPath === '/data')).toEqual({
      containerPath: '/data',
      hostPath: '',
      readonly: true,
      image: { image: reference },
    });
  });

  test('A container waits for an image that must not be pulled and is not there', async () => {
    const node = await nodeWith(true);
    node.workers.set(podWith({ reference: 'files:1', pullPolicy: 'Never' }));
    await node.pass(2);
    expect(node.statusOf()?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'ErrImageNeverPull',
      message: 'Container image "files:1" is not present with pull policy of Never',
    });
    expect(node.containers.calls).not.toContain('startContainer a');
  });

  test('Without the gate no plugin matches', async () => {
    const node = await nodeWith(false);
    node.workers.set(podWith({ reference: 'image:1' }));
    await node.until(() => node.events.length > 0);
    expect(node.events[0]).toContain('no volume plugin matched for volume "v"');
  });
});
