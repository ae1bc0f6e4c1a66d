/**
 * How many pods there should be, by what controls them: the scale of each controller counts once, however many of its
 * pods there are.
 */
import type { Deployment, ReplicaSet, StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { Pod, ReplicationController } from '../../api/gen/types/core-v1.ts';
import type { Informer } from '../../client/index.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { controllerOf } from '../shared/owner-references.ts';
import { NoScaleError, type Scales } from '../shared/scales.ts';

export interface OwnerInformers {
  readonly deployments: Informer<Deployment>;
  readonly replicaSets: Informer<ReplicaSet>;
  readonly replicationControllers: Informer<ReplicationController>;
  readonly statefulSets: Informer<StatefulSet>;
}

export interface ExpectedScale {
  readonly pods: number;
  /** Of pods that nothing controls. */
  readonly unmanaged: readonly string[];
}

interface Owner {
  readonly uid: string;
  readonly replicas: number;
}

interface Scaled extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

export class Owners {
  readonly #informers: OwnerInformers;
  readonly #scales: Scales;

  constructor(informers: OwnerInformers, scales: Scales) {
    this.#informers = informers;
    this.#scales = scales;
  }

  /** Rejects with a `NoScaleError` when that cannot be known of one of the pods. */
  async scaleOf(pods: readonly Pod[]): Promise<ExpectedScale> {
    const unmanaged: string[] = [];
    const seen = new Set<string>();
    const owners = new Map<string, number>();
    for (const pod of pods) {
      const { name, namespace } = pod.metadata;
      const reference = controllerOf(pod);
      if (reference === undefined) {
        unmanaged.push(name!);
        continue;
      }
      if (seen.has(reference.uid!)) continue;
      seen.add(reference.uid!);
      const owner = this.#known(reference, namespace!) ?? (await this.#scaled(reference, namespace!));
      if (owner === undefined) throw new NoScaleError(`found no controllers for pod "${name}"`);
      owners.set(owner.uid, owner.replicas);
    }
    return { pods: [...owners.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
  }

  #known(reference: OwnerReference, namespace: string): Owner | undefined {
    const { deployments, replicaSets, replicationControllers, statefulSets } = this.#informers;
    switch (kindOf(reference)) {
      case 'ReplicationController':
        return ownerIn(replicationControllers, reference, namespace);
      case 'apps/StatefulSet':
        return ownerIn(statefulSets, reference, namespace);
      case 'apps/ReplicaSet':
      case 'extensions/ReplicaSet': {
        const replicaSet = objectIn(replicaSets, reference, namespace);
        const parent = replicaSet === undefined ? undefined : controllerOf(replicaSet);
        if (parent?.kind === 'Deployment') return ownerIn(deployments, parent, namespace);
        return replicaSet === undefined ? undefined : ownerOf(replicaSet);
      }
      default:
        return undefined;
    }
  }

  async #scaled({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Promise<Owner | undefined> {
    const resource = await this.#scales.resourceOf(apiVersion!, kind!);
    const scale = await this.#scales.find(resource, namespace, name!);
    return scale?.metadata?.uid === uid ? { uid: uid!, replicas: scale?.spec?.replicas ?? 0 } : undefined;
  }
}

/** Without the version, which may be any that is served. */
function kindOf({ apiVersion = '', kind }: OwnerReference): string {
  const [group, version] = apiVersion.split('/');
  return version === undefined ? `${kind}` : `${group}/${kind}`;
}

function objectIn<T extends Scaled>(informer: Informer<T>, { name, uid }: OwnerReference, namespace: string) {
  const object = informer.objects.get(`${namespace}/${name}`);
  return object?.metadata?.uid === uid ? object : undefined;
}

function ownerIn<T extends Scaled>(informer: Informer<T>, reference: OwnerReference, namespace: string) {
  const object = objectIn(informer, reference, namespace);
  return object === undefined ? undefined : ownerOf(object);
}

const ownerOf = ({ metadata, spec }: Scaled): Owner => ({ uid: metadata!.uid!, replicas: spec?.replicas ?? 1 });
