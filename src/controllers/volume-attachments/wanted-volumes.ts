/** Which volumes the pods of each node want to be attached there. */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import type { IndexedObjects } from '../../reconcile/indexers.ts';
import {
  type AttachableVolume,
  mayHaveAttachable,
  resolveVolume,
  type VolumeReader,
} from '../shared/attachable-volumes.ts';
import { wantsVolumes, type WantedVolume } from './sync.ts';

/** The index of pods that may have such volumes, by the name of their node. */
export const attachableIndex = 'nodeOfAttachable';

export const attachableKeys = (pod: Pod): string[] => {
  const { nodeName = '' } = pod.spec ?? {};
  return nodeName !== '' && mayHaveAttachable(pod) ? [nodeName] : [];
};

export interface VolumeUse {
  readonly node: string;
  /** Of the volume. */
  readonly name: string;
  readonly pods: number;
}

export class WantedVolumes {
  readonly #pods: IndexedObjects<Pod>;
  readonly #reader: VolumeReader;
  readonly #byNode = new Map<string, ReadonlyMap<string, WantedVolume>>();
  /** What the volume of a pod was, by node, then by the uid of the pod and the name of the volume. */
  readonly #resolved = new Map<string, ReadonlyMap<string, AttachableVolume>>();

  constructor(pods: IndexedObjects<Pod>, reader: VolumeReader) {
    this.#pods = pods;
    this.#reader = reader;
  }

  /** @param node undefined when it is gone: its pods may still run */
  look(name: string, node: Node | undefined): ReadonlyMap<string, WantedVolume> {
    const before = this.#resolved.get(name);
    const resolved = new Map<string, AttachableVolume>();
    const wanted = new Map<string, { readonly volume: AttachableVolume; readonly pods: Pod[] }>();
    for (const pod of this.#pods.byIndex(attachableIndex, name)) {
      if (!wantsVolumes(pod, node)) continue;
      for (const declared of pod.spec?.volumes ?? []) {
        const found = resolveVolume(pod, declared, name, this.#reader);
        const key = `${pod.metadata.uid}/${declared.name}`;
        // A claim that is gone does not take the volume from a pod that runs.
        const volume = found === 'unknown' ? before?.get(key) : found;
        if (volume === undefined || volume === 'none') continue;
        resolved.set(key, volume);
        const known = wanted.get(volume.name);
        if (known === undefined) wanted.set(volume.name, { volume, pods: [pod] });
        else known.pods.push(pod);
      }
    }
    set(this.#resolved, name, resolved);
    set(this.#byNode, name, wanted);
    return wanted;
  }

  /** How many pods have each volume on each node, as of the last look. */
  *uses(): Generator<VolumeUse> {
    for (const [node, wanted] of this.#byNode)
      for (const [name, { pods }] of wanted) yield { node, name, pods: pods.length };
  }

  /** Pods of the node that have the volume, as of the last look. */
  podsWith(volume: string, node: string): readonly Pod[] {
    return this.#byNode.get(node)?.get(volume)?.pods ?? [];
  }

  isWaitingFor(volume: string, node: string): boolean {
    return this.#byNode.get(node)?.has(volume) === true;
  }

  *names(): Iterable<string> {
    for (const ofNode of this.#byNode.values()) yield* ofNode.keys();
  }
}

function set<V>(maps: Map<string, ReadonlyMap<string, V>>, key: string, map: ReadonlyMap<string, V>): void {
  if (map.size === 0) maps.delete(key);
  else maps.set(key, map);
}
