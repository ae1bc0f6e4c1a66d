import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { simulateNode } from './testing/simulated-node.ts';

const plain = podOf({ main: ['a'] });
const pod = {
  ...plain,
  spec: {
    ...plain.spec,
    restartPolicy: 'Never',
    containers: plain.spec.containers!.map((container) => ({
      ...container,
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    })),
    volumes: [{ name: 'v', emptyDir: {} }],
  },
  status: {},
} as Pod;

test.each([
  { keepsVolumes: true, left: ['v'] },
  { keepsVolumes: false, left: [] },
])(
  'A pod that has ended leaves the volumes $left until it is deleted, with keepsVolumes $keepsVolumes',
  async (row) => {
    const { keepsVolumes, left } = row;
    const node = await simulateNode({ config: { keepsVolumes } });
    const volumes = () =>
      readdir(`${node.directory}/root/pods/uid-1/volumes/kubernetes.io~empty-dir`).catch((): string[] => []);
    node.workers.set(pod);
    await node.settle();
    expect(await volumes()).toEqual(['v']);
    node.containers.end('a', 0);
    await node.pass(3);
    expect(node.statusOf()?.phase).toBe('Succeeded');
    expect(await volumes()).toEqual(left);
    node.workers.remove('uid-1');
    await node.settle();
    await node.clean();
    expect(await readdir(`${node.directory}/root/pods`)).toEqual([]);
  },
);
