/** Volumes whose labels name zones or regions are used there alone. */
import { namedClaims } from '../../api/core/pods/claims.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { StateData } from '../framework/cycle-state.ts';
import type { EnqueuePlugin, FilterPlugin, Has, PreFilterPlugin } from '../framework/plugin.ts';
import { skip, Status, unresolvable } from '../framework/status.ts';
import { classOf, waitsForConsumer } from '../../api/core/persistent-volumes/class-of.ts';
import { claimNotFound, type StorageReader } from './volumes/storage-reader.ts';
import { usesClaim } from './volume-restrictions.ts';

const name = 'VolumeZone';
const conflict = unresolvable(name, 'node(s) had no available volume zone');

/** Each with its name from before it was stable. */
const topologyLabels: readonly (readonly [string, string])[] = [
  ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
];

export interface Topology {
  readonly names: readonly [string, string];
  readonly values: ReadonlySet<string>;
}

class Topologies implements StateData {
  readonly all: readonly Topology[];

  constructor(all: readonly Topology[]) {
    this.all = all;
  }

  clone(): StateData {
    return this;
  }
}

export type ZoneReader = Pick<StorageReader, 'claim' | 'volume' | 'storageClass'>;

export function createVolumeZone(storage: ZoneReader): Has<PreFilterPlugin & FilterPlugin & EnqueuePlugin> {
  return {
    name,
    preFilter(state, { pod }) {
      const found = topologiesOf(pod, storage);
      if (found instanceof Status) return { status: found };
      if (found.length === 0) return { status: skip(name) };
      state.write(name, new Topologies(found));
      return undefined;
    },
    filter: (state, _, { node }) => (isInZone(node!, state.read<Topologies>(name)!.all) ? undefined : conflict),
    events: [
      { resource: 'StorageClass', action: actions.add },
      { resource: 'Node', action: actions.add | actions.updateNodeLabel },
      {
        resource: 'PersistentVolumeClaim',
        action: actions.add | actions.updateOther,
        hint: (pod, _, after) => usesClaim(pod, after as PersistentVolumeClaim),
      },
      { resource: 'PersistentVolume', action: actions.add | actions.updateOther },
    ],
  };
}

function topologiesOf(pod: Pod, storage: ZoneReader): readonly Topology[] | Status {
  const topologies: Topology[] = [];
  for (const { key, name: claimName, isEphemeral } of namedClaims(pod)) {
    if (isEphemeral) continue;
    const claim = storage.claim(key);
    if (claim === undefined) return unresolvable(name, claimNotFound(claimName));
    const { volumeName = '' } = claim.spec;
    if (volumeName === '') {
      // Its volume will be chosen for the node.
      if (waitsForConsumer(storage.storageClass(classOf(claim)))) continue;
      return unresolvable(name, 'PersistentVolume had no name');
    }
    const volume = storage.volume(volumeName);
    if (volume === undefined) return unresolvable(name, `persistentvolume "${volumeName}" not found`);
    topologies.push(...topologiesOfVolume(volume));
  }
  return topologies;
}

const separator = '__';

function topologiesOfVolume({ metadata }: PersistentVolume): Topology[] {
  return topologyLabels.flatMap((names) =>
    names.flatMap((label) => {
      const value = metadata.labels?.[label];
      return value === undefined ? [] : [{ names, values: new Set(value.split(separator)) }];
    }),
  );
}

/** A node without any zone or region is in all of them: the cluster has none. */
export function isInZone({ metadata }: Node, topologies: readonly Topology[]): boolean {
  const valueOf = (names: readonly string[]): string | undefined =>
    names.map((label) => metadata.labels?.[label]).find((value) => value !== undefined);
  if (topologyLabels.every((names) => valueOf(names) === undefined)) return true;
  return topologies.every(({ names, values }) => {
    const value = valueOf(names);
    return value !== undefined && values.has(value);
  });
}
