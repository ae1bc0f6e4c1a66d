/**
 * The templates that a StatefulSet or a DaemonSet has had, as ControllerRevisions: pods name the one they were made of,
 * and a rollout can go back to each.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#revision-history | Revision history}
 */
import type { ControllerRevision } from '../../api/gen/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { isAlreadyExists } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Input } from '../../client/index.ts';
import { type LabelSelector, requirementsOf } from '../../machinery/label-selector.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { RawJson } from '../../machinery/value.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claim } from './claim.ts';
import { controllerIndex, controllerKeys, controllerReference } from './owner-references.ts';
import { textOfRevision, textOfTemplate } from './revision-data.ts';
import { templateHash } from './template-hash.ts';

/** The label of pods that names their revision. */
export const podRevisionLabel = 'controller-revision-hash';

export type RevisionOwner = KubeObject & {
  readonly spec: {
    readonly selector?: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly revisionHistoryLimit?: number;
  };
  readonly status: { readonly collisionCount?: number };
};

export interface RevisionsOptions {
  /** The label of a revision that has its hash. */
  readonly hashLabel: string;
  /** The owner as the server has it now; undefined when it is gone. */
  readonly freshOwner: (namespace: string, name: string) => Promise<KubeObject | undefined>;
}

export interface EnsuredRevision {
  readonly revision: ControllerRevision;
  /** How often the name of a new revision was taken. */
  readonly collisionCount: number;
}

export class ControllerRevisions {
  readonly #context: ControllerContext;
  readonly #options: RevisionsOptions;
  readonly #cache: MutationCache<ControllerRevision>;
  readonly informer: Informer<ControllerRevision>;

  constructor(context: ControllerContext, options: RevisionsOptions) {
    this.#context = context;
    this.#options = options;
    this.informer = context.informer(context.client.apps.v1.controllerrevisions);
    this.#cache = context.mutationCache(this.informer);
    this.#cache.addIndex(controllerIndex, controllerKeys);
  }

  /** All revisions of the owner, the oldest first. Orphans that match its selector are adopted. */
  async of(owner: RevisionOwner): Promise<ControllerRevision[]> {
    const { namespace, name } = owner.metadata!;
    const { controllerrevisions } = this.#context.client.apps.v1;
    const all = await claim({
      owner,
      selector: requirementsOf(owner.spec.selector),
      objects: this.#cache,
      patch: ({ metadata }, patch) => controllerrevisions.namespace(metadata.namespace!).patch(metadata.name!, patch),
      freshOwner: () => this.#options.freshOwner(namespace!, name!),
    });
    return all.toSorted(byAge);
  }

  /** The revision with the owner's template, as the newest one. It is made when there is none. */
  async ensure(owner: RevisionOwner, all: readonly ControllerRevision[]): Promise<EnsuredRevision> {
    const { collisionCount = 0 } = owner.status;
    const text = textOfTemplate(owner.spec.template);
    const newest = all.at(-1);
    const next = revisionNumber(newest) + 1;
    const equal = all.findLast((revision) => textOfRevision(revision) === text);
    if (equal === undefined) return this.#create(owner, text, next, collisionCount);
    return { collisionCount, revision: equal === newest ? equal : await this.#patch(equal, { revision: next }) };
  }

  async delete(revision: ControllerRevision): Promise<void> {
    const { namespace, name } = revision.metadata;
    await this.#context.client.apps.v1.controllerrevisions.namespace(namespace!).delete(name!).catch(undefinedWhenGone);
    this.#cache.deleted(revision);
  }

  /** Adds a label that an older controller left out. */
  addLabel(revision: ControllerRevision, name: string, value: string): Promise<ControllerRevision> {
    return this.#patch(revision, { metadata: { labels: { [name]: value } } });
  }

  async #patch({ metadata }: ControllerRevision, merge: object): Promise<ControllerRevision> {
    const { controllerrevisions } = this.#context.client.apps.v1;
    const patched = await controllerrevisions.namespace(metadata.namespace!).patch(metadata.name!, { merge });
    this.#cache.wrote(patched);
    return patched;
  }

  /** A name that another template has taken leads to another name. */
  async #create(owner: RevisionOwner, text: string, revision: number, collisions: number): Promise<EnsuredRevision> {
    const revisions = this.#context.client.apps.v1.controllerrevisions.namespace(owner.metadata!.namespace!);
    for (let collisionCount = collisions; ; collisionCount++) {
      const wanted = newRevision(owner, text, templateHash(text, collisionCount), this.#options.hashLabel);
      try {
        const created = await revisions.create({ ...wanted, revision });
        this.#cache.wrote(created);
        return { revision: created, collisionCount };
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        const existing = await revisions.get(wanted.metadata!.name!);
        if (textOfRevision(existing) === text) return { revision: existing, collisionCount };
      }
    }
  }
}

function newRevision(owner: RevisionOwner, text: string, hash: string, hashLabel: string): Input<ControllerRevision> {
  const { name, namespace, annotations } = owner.metadata!;
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace: namespace!,
      labels: { ...owner.spec.template.metadata?.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: new RawJson(text).asValue(),
  };
}

export const revisionNumber = (revision: ControllerRevision | undefined): number => Number(revision?.revision ?? 0);

function byAge(a: ControllerRevision, b: ControllerRevision): number {
  const difference = revisionNumber(a) - revisionNumber(b);
  if (difference !== 0) return difference;
  const [first, second] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`);
  return first! < second! ? -1 : 1;
}
