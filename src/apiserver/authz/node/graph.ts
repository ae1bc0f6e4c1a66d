/** Which objects have to do with which node: by way of the pods that are bound to it, their claims and volumes. */
import type { PersistentVolume, Pod } from '../../../api/gen/types/core-v1.ts';
import type { VolumeAttachment } from '../../../api/gen/types/storage-v1.ts';
import type { ResourceStore } from '../../../registry/generic/resource-store.ts';
import type { StoredObject } from '../../../storage/objects.ts';
import type { SharedDecoder } from '../../loopback/shared-decoder.ts';
import type { IndexedResource } from '../resource-informers.ts';
import {
  podReferences,
  type PodReferences,
  type VolumeReferences,
  volumeReferences,
} from '../../../api/core/pods/references.ts';

export type GraphKind =
  | 'secret'
  | 'configMap'
  | 'claim'
  | 'volume'
  | 'volumeAttachment'
  | 'resourceClaim'
  | 'resourceSlice'
  | 'serviceAccount'
  | 'pod';

/** Told of the seconds that an object took to come into the graph (`AddPod`), or to leave it (`DeletePod`). */
export type ObserveGraph = (operation: string, seconds: number) => void;

export class NodeGraph {
  readonly #decode: SharedDecoder;
  readonly #observe: ObserveGraph;
  /** Pods by node, then by key: decoded when their references are needed. */
  readonly #pods = new Map<string, Map<string, StoredObject>>();
  readonly #references = new WeakMap<StoredObject, PodReferences>();
  readonly #volumes = new Map<string, VolumeReferences>();
  /** Names of volumes by `namespace/name` of a secret. */
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  readonly #nodeOfAttachment = new Map<string, string>();
  readonly #nodeOfSlice = new Map<string, string>();
  #podStore: ResourceStore | undefined;

  constructor(decode: SharedDecoder, observe: ObserveGraph = () => undefined) {
    this.#decode = decode;
    this.#observe = observe;
  }

  /** What the graph is made from. */
  get resources(): readonly IndexedResource[] {
    return [
      {
        group: '',
        resource: 'pods',
        onChange: this.#observed('Pod', (before, after, store) => this.#changePod(before, after, store)),
      },
      {
        group: '',
        resource: 'persistentvolumes',
        onChange: this.#observed('PV', (before, after, store) => this.#changeVolume(before, after, store)),
      },
      {
        group: 'storage.k8s.io',
        resource: 'volumeattachments',
        onChange: this.#observed('VolumeAttachment', (before, after, store) =>
          changeNode(
            this.#nodeOfAttachment,
            before,
            after,
            (stored) => this.#decode<VolumeAttachment>(store, stored).spec.nodeName ?? '',
          ),
        ),
      },
      {
        group: 'resource.k8s.io',
        resource: 'resourceslices',
        onChange: this.#observed('ResourceSlice', (before, after) =>
          changeNode(
            this.#nodeOfSlice,
            before,
            after,
            ({ attributes: attributes }) => attributes.fields.get('spec.nodeName') ?? '',
          ),
        ),
      },
    ];
  }

  #observed(kind: string, change: IndexedResource['onChange']): IndexedResource['onChange'] {
    return (before, after, store) => {
      const start = performance.now();
      change(before, after, store);
      this.#observe(`${after === undefined ? 'Delete' : 'Add'}${kind}`, (performance.now() - start) / 1000);
    };
  }

  /** Whether the node has anything to do with the object. */
  isRelated(node: string, kind: GraphKind, namespace: string, name: string): boolean {
    switch (kind) {
      case 'secret':
        return (
          this.#somePod(node, namespace, ({ secrets }) => secrets.has(name)) || this.#isOfVolume(node, namespace, name)
        );
      case 'configMap':
        return this.#somePod(node, namespace, ({ configMaps }) => configMaps.has(name));
      case 'claim':
        return this.#somePod(node, namespace, ({ claims }) => claims.has(name));
      case 'resourceClaim':
        return this.#somePod(node, namespace, ({ resourceClaims }) => resourceClaims.has(name));
      case 'serviceAccount':
        return this.#somePod(node, namespace, ({ serviceAccount }) => serviceAccount === name);
      case 'volume':
        return this.#isVolume(node, name);
      case 'volumeAttachment':
        return this.#nodeOfAttachment.get(name) === node;
      case 'resourceSlice':
        return this.#nodeOfSlice.get(name) === node;
      case 'pod':
        return this.#podsIn(node, namespace).some(({ attributes: attributes }) => attributes.name === name);
    }
  }

  #podsIn(node: string, namespace: string): StoredObject[] {
    return [...(this.#pods.get(node)?.values() ?? [])].filter(
      ({ attributes: attributes }) => attributes.namespace === namespace,
    );
  }

  #somePod(node: string, namespace: string, refers: (references: PodReferences) => boolean): boolean {
    return this.#podsIn(node, namespace).some((pod) => refers(this.#referencesOf(pod)));
  }

  #isVolume(node: string, name: string): boolean {
    const claim = this.#volumes.get(name)?.claim;
    if (claim === undefined) return false;
    const slash = claim.indexOf('/');
    return this.isRelated(node, 'claim', claim.slice(0, slash), claim.slice(slash + 1));
  }

  #isOfVolume(node: string, namespace: string, secret: string): boolean {
    return [...(this.#volumesOfSecret.get(`${namespace}/${secret}`) ?? [])].some((volume) =>
      this.#isVolume(node, volume),
    );
  }

  #referencesOf(stored: StoredObject): PodReferences {
    let references = this.#references.get(stored);
    if (references === undefined)
      this.#references.set(stored, (references = podReferences(this.#decode<Pod>(this.#podStore!, stored))));
    return references;
  }

  #changePod(before: StoredObject | undefined, after: StoredObject | undefined, store: ResourceStore): void {
    this.#podStore = store;
    const [from, to] = [before, after].map((pod) => pod?.attributes.fields.get('spec.nodeName') ?? '') as [
      string,
      string,
    ];
    if (before !== undefined && from !== '' && (after === undefined || from !== to)) {
      const pods = this.#pods.get(from);
      pods?.delete(before.key);
      if (pods?.size === 0) this.#pods.delete(from);
    }
    if (after === undefined || to === '') return;
    let pods = this.#pods.get(to);
    if (pods === undefined) this.#pods.set(to, (pods = new Map()));
    pods.set(after.key, after);
  }

  #changeVolume(before: StoredObject | undefined, after: StoredObject | undefined, store: ResourceStore): void {
    const name = (after ?? before)!.attributes.name;
    for (const secret of this.#volumes.get(name)?.secrets ?? []) this.#volumesOfSecret.get(secret)?.delete(name);
    this.#volumes.delete(name);
    const references = after === undefined ? undefined : volumeReferences(this.#decode<PersistentVolume>(store, after));
    if (references === undefined) return;
    this.#volumes.set(name, references);
    for (const secret of references.secrets)
      this.#volumesOfSecret.set(secret, (this.#volumesOfSecret.get(secret) ?? new Set()).add(name));
  }
}

function changeNode(
  nodes: Map<string, string>,
  before: StoredObject | undefined,
  after: StoredObject | undefined,
  nodeOf: (stored: StoredObject) => string,
): void {
  if (after === undefined) nodes.delete(before!.attributes.name);
  else nodes.set(after.attributes.name, nodeOf(after));
}
