/** Makes and deletes the pods of a controller, with the events that tell of it. */
import type { Pod, PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { isApiError, isNotFound } from '../../client/api-error.ts';
import type { Input } from '../../client/index.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { controllerReference } from './owner-references.ts';
import { UnansweredCreations } from './unanswered-creations.ts';

export interface PodToCreate {
  readonly template: PodTemplateSpec;
  /** Its controller: also the object of the events. */
  readonly owner: KubeObject;
  /** In place of a name that the server makes. */
  readonly name?: string;
  /** What the name begins with, in place of the owner's. */
  readonly namePrefix?: string;
  readonly reference?: OwnerReference;
}

export class PodControl {
  readonly #context: Pick<ControllerContext, 'client' | 'events'>;
  readonly #pods: MutationCache<Pod>;
  readonly #unanswered: UnansweredCreations;

  constructor(context: Pick<ControllerContext, 'client' | 'events'>, pods: MutationCache<Pod>) {
    this.#context = context;
    this.#pods = pods;
    this.#unanswered = new UnansweredCreations(context.client, pods);
  }

  /**
   * Rejects with the server's refusal. In a namespace that ends there is no event: it could not be written. Rejects too
   * while it is not known what became of an earlier creation.
   */
  async create(wanted: PodToCreate): Promise<Pod> {
    const { client, events } = this.#context;
    const { owner } = wanted;
    const pod = podFromTemplate(wanted);
    const labels = wanted.template.metadata?.labels ?? {};
    await this.#unanswered.check(owner, labels);
    try {
      const created = await client.core.v1.pods.namespace(owner.metadata!.namespace!).create(pod);
      this.#pods.wrote(created);
      events.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
      return created;
    } catch (error) {
      await this.#unanswered.failed(error, owner, labels);
      if (!isNamespaceTerminating(error))
        events.event(owner, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
      throw error;
    }
  }

  /** A pod that is gone already is no failure, and leads to no event. */
  async delete(pod: Pod, owner: KubeObject): Promise<void> {
    const { client, events } = this.#context;
    const { name, namespace, uid } = pod.metadata;
    try {
      const last = await client.core.v1.pods.namespace(namespace!).delete(name!, { preconditions: { uid: uid! } });
      if (last?.metadata.deletionTimestamp === undefined) this.#pods.deleted(pod);
      else this.wrote(last);
      events.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      if (isNotFound(error)) return this.#pods.deleted(pod);
      events.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${(error as Error).message}`);
      throw error;
    }
  }

  /** The server answered a write with this pod, which may be its last state. */
  wrote(pod: Pod): void {
    keepWritten(this.#pods, pod);
  }
}

/** The server answered a write with this pod: a deletion too, be the pod there for a while or gone. */
export function keepWritten(pods: MutationCache<Pod>, pod: Pod): void {
  if (isGone(pod)) pods.deleted(pod);
  else pods.wrote(pod);
}

/** Nothing keeps a pod whose time to end is over. */
const isGone = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  Number(metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  (metadata.finalizers?.length ?? 0) === 0;

export function podFromTemplate({
  template,
  owner,
  name,
  namePrefix,
  reference = controllerReference(owner),
}: PodToCreate): Input<Pod> {
  const { metadata, spec } = template;
  const { labels, annotations, finalizers } = metadata ?? {};
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      generateName: namePrefix ?? podNamePrefix(owner.metadata!.name!),
      namespace: owner.metadata!.namespace!,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [reference],
    },
    spec: spec!,
  };
}

/** The hyphen is left out where the name would then be no name of a pod. */
const podNamePrefix = (owner: string): string => (owner.length < maxNameLength ? `${owner}-` : owner);
const maxNameLength = 253;

export function isNamespaceTerminating(error: unknown): boolean {
  return isApiError(error) && (error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false);
}
