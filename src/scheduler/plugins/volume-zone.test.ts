import { expect, test } from 'vitest';
import { judgements, testCluster } from '../testing/cluster.ts';
import { podInfo } from '../testing/objects.ts';
import { claim, claimVolume, storageClass, testStorage, volume } from '../testing/storage.ts';
import { createVolumeZone } from './volume-zone.ts';

const zone = 'topology.kubernetes.io/zone';
const oldZone = 'failure-domain.beta.kubernetes.io/zone';
const storage = testStorage({
  classes: [storageClass('late'), storageClass('now', { volumeBindingMode: 'Immediate' })],
  claims: [
    ...['a', 'both', 'old', 'anywhere', 'gone'].map((name) => claim(name, { spec: { volumeName: name } })),
    claim('later', { spec: { storageClassName: 'late' } }),
    claim('unbound', { spec: { storageClassName: 'now' } }),
  ],
  volumes: [
    volume('a', { metadata: { name: 'a', labels: { [zone]: 'a' } } }),
    volume('both', { metadata: { name: 'both', labels: { [zone]: 'a__b' } } }),
    volume('old', { metadata: { name: 'old', labels: { [oldZone]: 'b' } } }),
    volume('anywhere'),
  ],
});
const refused = 'UnschedulableAndUnresolvable: node(s) had no available volume zone';
const all = (is: string): Record<string, string> => ({ a1: is, b1: is, c1: is, x: is });

test.each<{ claim: string; is: Record<string, string> }>([
  { claim: 'a', is: { a1: 'fits', b1: refused, c1: refused, x: 'fits' } },
  { claim: 'both', is: { a1: 'fits', b1: 'fits', c1: refused, x: 'fits' } },
  { claim: 'old', is: { a1: refused, b1: 'fits', c1: refused, x: 'fits' } },
  { claim: 'anywhere', is: all('skipped') },
  { claim: 'later', is: all('skipped') },
  { claim: 'unbound', is: all('UnschedulableAndUnresolvable: PersistentVolume had no name') },
  { claim: 'gone', is: all('UnschedulableAndUnresolvable: persistentvolume "gone" not found') },
  { claim: 'none', is: all('UnschedulableAndUnresolvable: persistentvolumeclaim "none" not found') },
])('A pod with the claim $claim', ({ claim: name, is }) => {
  const { cluster } = testCluster([
    ...['a', 'b'].map((letter) => ({ name: `${letter}1`, labels: { [zone]: letter } })),
    { name: 'c1', labels: { [oldZone]: 'c' } },
    { name: 'x' },
  ]);
  const info = podInfo({ spec: { volumes: [claimVolume(name)] } });
  expect(judgements(createVolumeZone(storage), info, cluster)).toEqual(is);
});
