/** The revisions of a DaemonSet, and which of them its pods have. */
import type { ControllerRevision, DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { type ControllerRevisions, podRevisionLabel } from '../shared/controller-revisions.ts';
import { textOfRevision } from '../shared/revision-data.ts';

export interface CurrentRevision {
  /** The label of pods that have the template of now. */
  readonly hash: string;
  readonly collisionCount: number;
  /** The revisions of other templates, the oldest first. */
  readonly old: readonly ControllerRevision[];
}

const hashOf = ({ metadata }: ControllerRevision | Pod): string => metadata.labels?.[podRevisionLabel] ?? '';

export class DaemonHistory {
  readonly #context: ControllerContext;
  readonly #pods: MutationCache<Pod>;
  readonly #revisions: ControllerRevisions;

  constructor(context: ControllerContext, pods: MutationCache<Pod>, revisions: ControllerRevisions) {
    this.#context = context;
    this.#pods = pods;
    this.#revisions = revisions;
  }

  async current(set: DaemonSet, pods: readonly Pod[]): Promise<CurrentRevision> {
    const all = await this.#labelled(await this.#revisions.of(set));
    const { revision, collisionCount } = await this.#revisions.ensure(set, all);
    const text = textOfRevision(revision);
    const isEqual = (other: ControllerRevision): boolean => textOfRevision(other) === text;
    for (const other of all)
      if (isEqual(other) && other.metadata.name !== revision.metadata.name) await this.#merge(other, revision, pods);
    return { hash: hashOf(revision), collisionCount, old: all.filter((other) => !isEqual(other)) };
  }

  /** Deletes the oldest of those that no pod has, so that no more than the limit are kept. */
  async forget(old: readonly ControllerRevision[], pods: readonly Pod[], limit: number): Promise<void> {
    const excess = old.length - limit;
    if (excess <= 0) return;
    const used = new Set(pods.map(hashOf));
    const unused = old.filter((revision) => !used.has(hashOf(revision)));
    for (const revision of unused.slice(0, excess)) await this.#revisions.delete(revision);
  }

  /** Revisions of before they had the label get their name in its place. */
  async #labelled(all: readonly ControllerRevision[]): Promise<ControllerRevision[]> {
    const labelled: ControllerRevision[] = [];
    for (const revision of all) {
      const { name } = revision.metadata;
      const isLabelled = hashOf(revision) !== '';
      labelled.push(isLabelled ? revision : await this.#revisions.addLabel(revision, podRevisionLabel, name!));
    }
    return labelled;
  }

  /** Of two revisions with the same template one is kept: the pods of the other have the same template too. */
  async #merge(other: ControllerRevision, kept: ControllerRevision, pods: readonly Pod[]): Promise<void> {
    const merge = { metadata: { labels: { [podRevisionLabel]: hashOf(kept) } } };
    for (const pod of pods) {
      if (hashOf(pod) !== hashOf(other)) continue;
      const { namespace, name } = pod.metadata;
      this.#pods.wrote(await this.#context.client.core.v1.pods.namespace(namespace!).patch(name!, { merge }));
    }
    await this.#revisions.delete(other);
  }
}
