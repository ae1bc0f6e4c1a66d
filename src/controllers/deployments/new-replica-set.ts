/** Makes the ReplicaSet for the template of a Deployment, and keeps the number of its revision. */
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import { isAlreadyExists } from '../../client/api-error.ts';
import type { Input } from '../../client/index.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { controllerOf, controllerReference } from '../shared/owner-references.ts';
import { isNamespaceTerminating } from '../shared/pod-control.ts';
import { templateHash } from '../shared/template-hash.ts';
import { hashLabel, isSameTemplate, latestRevision, newSetAnnotations, revisionAnnotation } from './revisions.ts';
import { conditionOf, hasDeadline, withCondition } from './status.ts';

export interface Ensured {
  readonly deployment: Deployment;
  readonly set: ReplicaSet;
}

export class NewReplicaSet {
  readonly #context: ControllerContext;
  readonly #sets: MutationCache<ReplicaSet>;
  readonly #writeStatus: (deployment: Deployment, status: DeploymentStatus) => Promise<Deployment>;

  constructor(
    context: ControllerContext,
    sets: MutationCache<ReplicaSet>,
    writeStatus: (deployment: Deployment, status: DeploymentStatus) => Promise<Deployment>,
  ) {
    this.#context = context;
    this.#sets = sets;
    this.#writeStatus = writeStatus;
  }

  /**
   * The ReplicaSet, made when it is missing, and the Deployment with the revision. Undefined where none can be made, as
   * the namespace ends.
   * @param size of a new one
   */
  async ensure(
    deployment: Deployment,
    current: ReplicaSet | undefined,
    old: readonly ReplicaSet[],
    size: number,
  ): Promise<Ensured | undefined> {
    if (current === undefined) return this.#create(deployment, old, size);
    const set = await this.keepRevision(deployment, current, old);
    return {
      set,
      deployment: await this.#record(deployment, set, 'FoundNewReplicaSet', 'Found new replica set', true),
    };
  }

  /** A ReplicaSet that is used again gets a new revision: the newest is that of the Deployment. */
  async keepRevision(deployment: Deployment, set: ReplicaSet, old: readonly ReplicaSet[]): Promise<ReplicaSet> {
    const before = set.metadata.annotations ?? {};
    const annotations = newSetAnnotations(deployment, before, latestRevision(old) + 1, true);
    const minReadySeconds = deployment.spec!.minReadySeconds ?? 0;
    if (isEqual(before, annotations) && (set.spec?.minReadySeconds ?? 0) === minReadySeconds) return set;
    const updated = await this.#context.client.apps.v1.replicasets.namespace(set.metadata.namespace!).update({
      ...set,
      metadata: { ...set.metadata, annotations: { ...annotations } },
      spec: { ...set.spec!, minReadySeconds },
    });
    this.#sets.wrote(updated);
    return updated;
  }

  async #create(deployment: Deployment, old: readonly ReplicaSet[], size: number): Promise<Ensured | undefined> {
    const { client, events } = this.#context;
    const wanted = newSet(deployment, latestRevision(old) + 1, size);
    const { name, namespace } = wanted.metadata as { name: string; namespace: string };
    let set: ReplicaSet;
    try {
      set = await client.apps.v1.replicasets.namespace(namespace).create(wanted);
      this.#sets.wrote(set);
      const message = `Scaled up replica set ${name} from 0 to ${size}`;
      if (size > 0) events.event(deployment, 'Normal', 'ScalingReplicaSet', message);
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      if (!isAlreadyExists(error)) throw await this.#failed(deployment, name, error as Error);
      set = await this.#existing(deployment, name, error);
    }
    return {
      set,
      deployment: await this.#record(deployment, set, 'NewReplicaSetCreated', 'Created new replica set', false),
    };
  }

  /** Made by an earlier attempt whose answer was lost. Another one's with the same name leads to another name. */
  async #existing(deployment: Deployment, name: string, error: unknown): Promise<ReplicaSet> {
    const { namespace, uid } = deployment.metadata;
    const existing = await this.#context.client.apps.v1.replicasets.namespace(namespace!).get(name);
    const isOwn = controllerOf(existing)?.uid === uid;
    if (isOwn && isSameTemplate(existing.spec?.template, deployment.spec!.template)) return existing;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await this.#writeStatus(deployment, { ...deployment.status, collisionCount });
    throw error;
  }

  async #failed(deployment: Deployment, name: string, error: Error): Promise<Error> {
    const message = `Failed to create new replica set "${name}": ${error.message}`;
    const reason = 'ReplicaSetCreateError';
    if (hasDeadline(deployment)) {
      const { conditions = [] } = deployment.status ?? {};
      const condition = { type: 'Progressing', status: 'False', reason, message } as const;
      const changed = withCondition(conditions, condition, this.#context.wallTime());
      if (!isEqual(changed, conditions))
        await this.#writeStatus(deployment, { ...deployment.status, conditions: changed });
    }
    this.#context.events.event(deployment, 'Warning', reason, message);
    return error;
  }

  /** The Deployment has the revision of its ReplicaSet, and says that there is progress. */
  async #record(
    deployment: Deployment,
    set: ReplicaSet,
    reason: string,
    told: string,
    isOnlyFirst: boolean,
  ): Promise<Deployment> {
    const withRevision = await this.#setRevision(deployment, set);
    const { conditions = [] } = withRevision.status ?? {};
    if (!hasDeadline(deployment)) return withRevision;
    if (isOnlyFirst && conditionOf(conditions, 'Progressing') !== undefined) return withRevision;
    const message = `${told} "${set.metadata.name}"`;
    const condition = { type: 'Progressing', status: 'True', reason, message } as const;
    const changed = withCondition(conditions, condition, this.#context.wallTime());
    return this.#writeStatus(withRevision, { ...withRevision.status, conditions: changed });
  }

  async #setRevision(deployment: Deployment, set: ReplicaSet): Promise<Deployment> {
    const revision = set.metadata.annotations?.[revisionAnnotation];
    const { annotations = {}, namespace } = deployment.metadata;
    if (revision === undefined || annotations[revisionAnnotation] === revision) return deployment;
    return this.#context.client.apps.v1.deployments.namespace(namespace!).update({
      ...deployment,
      metadata: { ...deployment.metadata, annotations: { ...annotations, [revisionAnnotation]: revision } },
    });
  }
}

function newSet(deployment: Deployment, revision: number, size: number): Input<ReplicaSet> {
  const { template, selector, minReadySeconds } = deployment.spec!;
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace!,
      labels,
      annotations: { ...newSetAnnotations(deployment, {}, revision, false) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: size,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
