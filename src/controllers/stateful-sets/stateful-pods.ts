/** Makes, repairs and deletes the pods of a StatefulSet with their claims, with the events that tell of it. */
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { isAlreadyExists, isNotFound } from '../../client/api-error.ts';
import type { Input } from '../../client/index.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { isNamespaceTerminating, keepWritten } from '../shared/pod-control.ts';
import { hasOtherController, wantedOwners } from './claim-owners.ts';
import { claimsOf, newClaims, newPod, ordinalOf, podNameOf, repairedPod } from './identity.ts';

export interface NewPod {
  readonly ordinal: number;
  readonly template: PodTemplateSpec;
  /** Name of the ControllerRevision that has the template. */
  readonly revision: string;
}

export class StatefulPods {
  readonly #context: ControllerContext;
  readonly #pods: MutationCache<Pod>;
  readonly #claims: MutationCache<PersistentVolumeClaim>;

  constructor(context: ControllerContext, pods: MutationCache<Pod>, claims: MutationCache<PersistentVolumeClaim>) {
    this.#context = context;
    this.#pods = pods;
    this.#claims = claims;
  }

  claim({ metadata }: StatefulSet, name: string): PersistentVolumeClaim | undefined {
    return this.#claims.get(`${metadata.namespace}/${name}`);
  }

  /** A pod that has the name and belongs to something else is told by the error alone. */
  async create(set: StatefulSet, { ordinal, template, revision }: NewPod): Promise<void> {
    const { namespace } = set.metadata;
    const name = podNameOf(set, ordinal);
    try {
      await this.#createClaims(set, ordinal);
      const pod = newPod(set, ordinal, template, revision);
      const created = await this.#context.client.core.v1.pods.namespace(namespace!).create(pod);
      this.#pods.wrote(created);
      await this.ownClaims(set, created);
    } catch (error) {
      if (!isAlreadyExists(error)) this.#tell(set, 'Create', name, error);
      throw error;
    }
    this.#tell(set, 'Create', name);
  }

  async createClaims(set: StatefulSet, pod: Pod): Promise<void> {
    await this.#createClaims(set, ordinalOf(set, pod)!);
    await this.ownClaims(set, pod);
  }

  /** Gives the pod its identity back, and its claims their owners. */
  async update(set: StatefulSet, pod: Pod): Promise<void> {
    const { name, namespace } = pod.metadata;
    try {
      await this.ownClaims(set, pod);
      const repaired = repairedPod(set, pod);
      if (repaired !== undefined) {
        await this.#createClaims(set, ordinalOf(set, pod)!);
        this.#pods.wrote(await this.#context.client.core.v1.pods.namespace(namespace!).update(repaired));
      }
    } catch (error) {
      this.#tell(set, 'Update', name!, error);
      throw error;
    }
    this.#tell(set, 'Update', name!);
  }

  /** A pod that is gone already is no failure, and leads to no event. */
  async delete(set: StatefulSet, pod: Pod): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const { pods } = this.#context.client.core.v1;
    try {
      const last = await pods.namespace(namespace!).delete(name!, { preconditions: { uid: uid! } });
      if (last === undefined) this.#pods.deleted(pod);
      else keepWritten(this.#pods, last);
    } catch (error) {
      if (isNotFound(error)) return this.#pods.deleted(pod);
      this.#tell(set, 'Delete', name!, error);
      throw error;
    }
    this.#tell(set, 'Delete', name!);
  }

  /** The claims are deleted with the set or with the pod, or stay, as the set says. */
  async ownClaims(set: StatefulSet, pod: Pod): Promise<void> {
    for (const name of claimsOf(set, ordinalOf(set, pod)!).values()) {
      const claim = this.claim(set, name);
      if (claim === undefined) continue;
      if (hasOtherController(set, pod, claim)) this.#tellConflict(set, name);
      const ownerReferences = wantedOwners(set, pod, claim);
      if (ownerReferences === undefined) continue;
      const { persistentvolumeclaims } = this.#context.client.core.v1;
      const metadata = { ...claim.metadata, ownerReferences };
      this.#claims.wrote(
        await persistentvolumeclaims.namespace(claim.metadata.namespace!).update({ ...claim, metadata }),
      );
    }
  }

  /** Rejects when one cannot be made, or is about to be deleted; all are tried. */
  async #createClaims(set: StatefulSet, ordinal: number): Promise<void> {
    const failures: string[] = [];
    for (const claim of newClaims(set, ordinal)) {
      const name = claim.metadata!.name!;
      const existing = this.claim(set, name);
      if (existing?.metadata.deletionTimestamp !== undefined) failures.push(`pvc ${name} is being deleted`);
      if (existing !== undefined) continue;
      try {
        await this.#createClaim(set, ordinal, claim);
      } catch (error) {
        failures.push(`failed to create PVC ${name}: ${(error as Error).message}`);
      }
    }
    if (failures.length > 0) throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
  }

  async #createClaim(set: StatefulSet, ordinal: number, claim: Input<PersistentVolumeClaim>): Promise<void> {
    const { events, client } = this.#context;
    const about = `Pod ${podNameOf(set, ordinal)} in StatefulSet ${set.metadata.name}`;
    const { name, namespace } = claim.metadata!;
    try {
      this.#claims.wrote(await client.core.v1.persistentvolumeclaims.namespace(namespace!).create(claim));
    } catch (error) {
      const message = `create Claim ${name} for ${about} failed error: ${(error as Error).message}`;
      if (!isAlreadyExists(error) && !isNamespaceTerminating(error))
        events.event(set, 'Warning', 'FailedCreate', message);
      throw error;
    }
    events.event(set, 'Normal', 'SuccessfulCreate', `create Claim ${name} ${about} success`);
  }

  #tell(set: StatefulSet, verb: 'Create' | 'Update' | 'Delete', pod: string, error?: unknown): void {
    const { events } = this.#context;
    const about = `${verb.toLowerCase()} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    if (error === undefined) events.event(set, 'Normal', `Successful${verb}`, `${about} successful`);
    else if (!isNamespaceTerminating(error))
      events.event(set, 'Warning', `Failed${verb}`, `${about} failed error: ${(error as Error).message}`);
  }

  #tellConflict(set: StatefulSet, claim: string): void {
    const message =
      `PersistentVolumeClaim ${claim} has a conflicting OwnerReference that acts as a manging controller, ` +
      'the retention policy is ignored for this claim';
    this.#context.events.event(set, 'Warning', 'ConflictingController', message);
  }
}
