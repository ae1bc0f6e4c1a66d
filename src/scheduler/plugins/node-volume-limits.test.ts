import { expect, test } from 'vitest';
import type { CSINode } from '../../api/gen/types/storage-v1.ts';
import { judgements, testCluster } from '../testing/cluster.ts';
import { podInfo } from '../testing/objects.ts';
import { claim, claimVolume, storageClass, testStorage, volume } from '../testing/storage.ts';
import { createNodeVolumeLimits } from './node-volume-limits.ts';

const driver = 'csi.example.com';
const csi = (handle: string) => ({ csi: { driver, volumeHandle: handle } });
const limited = (count: number): CSINode => ({
  metadata: { name: 'n' },
  spec: { drivers: [{ name: driver, nodeID: 'n', allocatable: { count } }] },
});
const storage = (count: number | undefined) =>
  testStorage({
    csiNodes: count === undefined ? [] : [limited(count)],
    classes: [storageClass('sc'), storageClass('none', { provisioner: 'kubernetes.io/no-provisioner' })],
    claims: [
      ...['a', 'b', 'same'].map((name) => claim(name, { spec: { volumeName: name } })),
      claim('nfs', { spec: { volumeName: 'nfs' } }),
      claim('later', { spec: { storageClassName: 'sc' } }),
      claim('local', { spec: { storageClassName: 'none' } }),
    ],
    volumes: [
      volume('a', { spec: csi('a') }),
      volume('b', { spec: csi('b') }),
      volume('same', { spec: csi('a') }),
      volume('nfs', { spec: { nfs: { server: 's', path: '/' } } }),
    ],
  });

const refused = 'Unschedulable: node(s) exceed max volume count';
test.each<{ name: string; limit: number | undefined; there: string[]; asks: string[]; is: string }>([
  { name: 'a pod without claims', limit: 0, there: [], asks: [], is: 'skipped' },
  { name: 'a node that takes none', limit: 0, there: [], asks: ['a'], is: refused },
  { name: 'a node that takes one', limit: 1, there: [], asks: ['a'], is: 'fits' },
  { name: 'a node that has one', limit: 1, there: ['b'], asks: ['a'], is: refused },
  { name: 'a node that has the same', limit: 1, there: ['a'], asks: ['a'], is: 'fits' },
  { name: 'another claim of the same volume', limit: 1, there: ['same'], asks: ['a'], is: 'fits' },
  { name: 'two at once', limit: 1, there: [], asks: ['a', 'b'], is: refused },
  { name: 'a volume that will be made', limit: 0, there: [], asks: ['later'], is: refused },
  { name: 'a volume that no driver makes', limit: 0, there: [], asks: ['local'], is: 'fits' },
  { name: 'a volume of another kind', limit: 0, there: [], asks: ['nfs'], is: 'fits' },
  { name: 'a node that tells no limit', limit: undefined, there: [], asks: ['a'], is: 'fits' },
])('A pod and the limits of volumes of a node: $name: $is', ({ limit, there, asks, is }) => {
  const { cluster } = testCluster(
    [{ name: 'n' }],
    [{ name: 'there', node: 'n', spec: { volumes: there.map(claimVolume) } }],
  );
  const plugin = createNodeVolumeLimits(storage(limit));
  expect(judgements(plugin, podInfo({ spec: { volumes: asks.map(claimVolume) } }), cluster)).toEqual({ n: is });
});
