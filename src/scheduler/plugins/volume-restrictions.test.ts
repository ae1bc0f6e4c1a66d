import { describe, expect, test } from 'vitest';
import type { Volume } from '../../api/gen/types/core-v1.ts';
import { judgements, testCluster } from '../testing/cluster.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { pod, podInfo, type TestPod } from '../testing/objects.ts';
import { claim, claimVolume, testStorage } from '../testing/storage.ts';
import { createVolumeRestrictions } from './volume-restrictions.ts';

const exclusive = claim('one', { spec: { accessModes: ['ReadWriteOncePod'], volumeName: 'v' } });
const storage = testStorage({ claims: [exclusive, claim('many')] });
const withVolumes = (...volumes: unknown[]): TestPod => ({ spec: { volumes: volumes as Volume[] } });
const inUse =
  'Unschedulable: node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode';
const noDisk = 'Unschedulable: node(s) had no available disk';
const gce = (readOnly = false) => ({ name: 'g', gcePersistentDisk: { pdName: 'disk', readOnly } });
const rbd = (pool: string) => ({ name: 'r', rbd: { monitors: ['m1', 'm2'], pool, image: 'i' } });

describe('a pod', () => {
  test.each<{ name: string; there: TestPod; asks: TestPod; is: Record<string, string> }>([
    { name: 'without volumes', there: {}, asks: {}, is: { a: 'skipped', b: 'skipped' } },
    {
      name: 'with a claim that many may use',
      there: withVolumes(claimVolume('many')),
      asks: withVolumes(claimVolume('many')),
      is: { a: 'skipped', b: 'skipped' },
    },
    {
      name: 'with a claim that another pod uses alone',
      there: withVolumes(claimVolume('one')),
      asks: withVolumes(claimVolume('one')),
      is: { a: inUse, b: inUse },
    },
    {
      name: 'with a claim that is not used',
      there: {},
      asks: withVolumes(claimVolume('one')),
      is: { a: 'fits', b: 'fits' },
    },
    {
      name: 'with a claim that is not there',
      there: {},
      asks: withVolumes(claimVolume('gone')),
      is: Object.fromEntries(
        ['a', 'b'].map((node) => [node, 'UnschedulableAndUnresolvable: persistentvolumeclaim "gone" not found']),
      ),
    },
    {
      name: 'with a disk that is in use',
      there: withVolumes(gce()),
      asks: withVolumes(gce(true)),
      is: { a: noDisk, b: 'fits' },
    },
    {
      name: 'with a disk that all only read',
      there: withVolumes(gce(true)),
      asks: withVolumes(gce(true)),
      is: { a: 'fits', b: 'fits' },
    },
    {
      name: 'with an image of another pool',
      there: withVolumes(rbd('x')),
      asks: withVolumes(rbd('y')),
      is: { a: 'fits', b: 'fits' },
    },
    {
      name: 'with an image that is in use',
      there: withVolumes(rbd('x')),
      asks: withVolumes(rbd('x')),
      is: { a: noDisk, b: 'fits' },
    },
  ])('A pod under VolumeRestrictions: $name', ({ there, asks, is }) => {
    const { cluster } = testCluster([{ name: 'a' }, { name: 'b' }], [{ ...there, name: 'there', node: 'a' }]);
    expect(judgements(createVolumeRestrictions(storage, cluster), podInfo(asks), cluster)).toEqual(is);
  });

  test('A pod under VolumeRestrictions fits where the pod that has its claim is removed in a trial', () => {
    const { cluster } = testCluster(
      [{ name: 'a' }],
      [{ ...withVolumes(claimVolume('one')), name: 'there', node: 'a' }],
    );
    const plugin = createVolumeRestrictions(storage, cluster);
    const asking = podInfo(withVolumes(claimVolume('one')));
    const state = new CycleState();
    plugin.preFilter(state, asking);
    const trial = state.clone();
    const a = cluster.node('a')!;
    plugin.removePod!(trial, asking, [...a.pods.values()][0]!, a);
    expect([plugin.filter(trial, asking, a), plugin.filter(state, asking, a)?.code]).toEqual([
      undefined,
      'Unschedulable',
    ]);
  });
});

test.each([
  { name: 'a pod with its claim goes', claims: ['one'], wakes: true },
  { name: 'a pod with another claim goes', claims: ['many'], wakes: false },
])('A refused pod is woken when $name: $wakes', ({ claims, wakes }) => {
  const { hint } = createVolumeRestrictions(storage, { usesOf: () => 0 }).events[0]!;
  const refused = pod(withVolumes(claimVolume('one')));
  expect(hint!(refused, pod(withVolumes(...claims.map(claimVolume))), undefined)).toBe(wakes);
});
