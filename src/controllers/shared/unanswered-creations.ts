/**
 * Creations of pods that the server may have carried out although no answer said so: the connection broke, or the
 * answer was a failure of the server. The names of these pods are not known here, and the informer may be late. So
 * before an owner gets further pods, the server is asked which it has.
 * @NOTE differs from upstream: there the next try makes another pod when the informer is late.
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { ConnectionError, isApiError } from '../../client/api-error.ts';
import type { Client } from '../../client/index.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { Labels } from '../../machinery/label-selector.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import { isControlledBy } from './owner-references.ts';

export class UnansweredCreations {
  readonly #client: Pick<Client, 'core'>;
  readonly #pods: MutationCache<Pod>;
  /** Those that are being asked for share the answer. By uid of the owner. */
  readonly #open = new Map<string, Promise<void> | undefined>();

  constructor(client: Pick<Client, 'core'>, pods: MutationCache<Pod>) {
    this.#client = client;
    this.#pods = pods;
  }

  /** Rejects when there were some: what is wanted has to be looked at again, with what was found. */
  async check(owner: KubeObject, labels: Labels): Promise<void> {
    if (!this.#open.has(owner.metadata!.uid!)) return;
    await this.#find(owner, labels);
    throw new Error('pods may have been created without an answer: what there is was read again');
  }

  /** A creation has failed. Resolves when the cache has what it made, or when that could not be found out now. */
  async failed(error: unknown, owner: KubeObject, labels: Labels): Promise<void> {
    if (!isUnanswered(error)) return;
    const uid = owner.metadata!.uid!;
    if (!this.#open.has(uid)) this.#open.set(uid, undefined);
    await this.#find(owner, labels).catch(() => undefined);
  }

  async #find(owner: KubeObject, labels: Labels): Promise<void> {
    const uid = owner.metadata!.uid!;
    const finding = this.#open.get(uid) ?? this.#read(owner, labels);
    this.#open.set(uid, finding);
    try {
      await finding;
      this.#open.delete(uid);
    } catch (error) {
      this.#open.set(uid, undefined);
      throw error;
    }
  }

  async #read(owner: KubeObject, labels: Labels): Promise<void> {
    const labelSelector = Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
    const { items } = await this.#client.core.v1.pods.namespace(owner.metadata!.namespace!).list({ labelSelector });
    for (const pod of items) if (isControlledBy(pod, owner)) this.#pods.wrote(pod);
  }
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof ConnectionError
    ? !error.isUnprocessed
    : isApiError(error)
      ? error.code >= 500
      : error instanceof Error && error.name === 'TimeoutError';
