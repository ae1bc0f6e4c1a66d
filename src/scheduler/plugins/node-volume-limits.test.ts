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
const storage = (count: number | undefined, attached: readonly string[] = []) =>
  testStorage({
    attachments: attached.map((name) => ({
      metadata: { name },
      spec: { attacher: driver, nodeName: 'n', source: { persistentVolumeName: name } },
      status: { attached: true },
    })),
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
interface Row {
  readonly name: string;
  readonly limit: number | undefined;
  readonly there: string[];
  /** Volumes. */
  readonly attached?: string[];
  readonly asks: string[];
  readonly is: string;
}

test.each<Row>([
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
  { name: 'a node with a volume of no pod', limit: 1, there: [], attached: ['b'], asks: ['a'], is: refused },
  { name: 'a node that has it attached', limit: 1, there: [], attached: ['a'], asks: ['a'], is: 'fits' },
  { name: 'a volume that is of a pod and attached', limit: 2, there: ['b'], attached: ['b'], asks: ['a'], is: 'fits' },
  { name: 'a volume that is gone', limit: 1, there: [], attached: ['x', 'nfs'], asks: ['a'], is: 'fits' },
  { name: 'a node that tells no limit', limit: undefined, there: [], asks: ['a'], is: 'fits' },
])('$name: $is', ({ limit, there, attached, asks, is }) => {
  const { cluster } = testCluster(
    [{ name: 'n' }],
    [{ name: 'there', node: 'n', spec: { volumes: there.map(claimVolume) } }],
  );
  const plugin = createNodeVolumeLimits(storage(limit, attached));
  expect(judgements(plugin, podInfo({ spec: { volumes: asks.map(claimVolume) } }), cluster)).toEqual({ n: is });
});

test.each([
  { title: 'of the driver of a volume of the pod', attacher: driver, asks: 'a', is: true },
  { title: 'of another driver', attacher: 'x.example', asks: 'a', is: false },
  { title: 'of any driver while the claim is not known', attacher: driver, asks: 'unknown', is: true },
])('A detachment $title wakes the pod: $is', ({ attacher, asks, is }) => {
  const { events } = createNodeVolumeLimits(storage(1));
  const { hint } = events.find(({ resource }) => resource === 'VolumeAttachment')!;
  const { pod } = podInfo({ spec: { volumes: [claimVolume(asks)] } });
  const gone = { metadata: { name: 'gone' }, spec: { attacher, nodeName: 'n', source: {} } };
  expect(hint!(pod, gone, undefined)).toBe(is);
});

test.each([
  { title: 'counts where the node leaves the type to its driver', migrated: 'kubernetes.io/aws-ebs', is: refused },
  { title: 'does not count on other nodes', migrated: 'kubernetes.io/cinder', is: 'fits' },
])('A volume from before CSI $title', ({ migrated, is }) => {
  const annotations = { 'storage.alpha.kubernetes.io/migrated-plugins': migrated };
  const drivers = [{ name: 'ebs.csi.aws.com', nodeID: 'n', allocatable: { count: 0 } }];
  const old = testStorage({
    csiNodes: [{ metadata: { name: 'n', annotations }, spec: { drivers } }],
    claims: [claim('old', { spec: { volumeName: 'old' } })],
    volumes: [volume('old', { spec: { awsElasticBlockStore: { volumeID: 'vol-1' } } })],
  });
  const { cluster } = testCluster([{ name: 'n' }]);
  const pod = podInfo({ spec: { volumes: [claimVolume('old')] } });
  expect(judgements(createNodeVolumeLimits(old), pod, cluster)).toEqual({ n: is });
});
