/**
 * Ends namespaces that are deleted: first what is in them, then the finalizer `kubernetes`, which held them.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/namespaces/#deleting-a-namespace | Deleting a
 *   namespace}
 */
import type { Namespace } from '../../api/gen/types/core-v1.ts';
import { isConflict } from '../../client/api-error.ts';
import { discover } from '../../client/discovery/discover.ts';
import type { Discovery } from '../../client/discovery/resources.ts';
import { ExponentialRateLimiter, MaxOfRateLimiter, TokenBucketRateLimiter } from '../../reconcile/rate-limiter.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { timeMs } from '../shared/pod-conditions.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { type DeletedContent, deleteContent } from './content.ts';
import { conditionsAfter, type Findings, nextLookMs } from './sync.ts';

const finalizer = 'kubernetes';

/**
 * By then other API servers see that the namespace ends, and let no object into it. Its content is deleted at once, and
 * again after this time, before the namespace itself ends.
 */
const graceMs = 5000;

const maxRetryDelayMs = 60_000;

export function startNamespaces(context: ControllerContext): void {
  const { client, clock, options } = context;
  const namespaces = context.informer(client.core.v1.namespaces);
  const terminator = new Terminator(context);
  const rateLimiter = new MaxOfRateLimiter([
    new ExponentialRateLimiter({ firstMs: 5, maxMs: maxRetryDelayMs }),
    new TokenBucketRateLimiter({ perSecond: 10, burst: 100 }, clock),
  ]);
  const controller = context.work({
    queue: 'namespace',
    workers: options.namespace.concurrentSyncs,
    triggers: [{ attach: () => () => undefined, untilSynced: (signal) => namespaces.untilSynced(signal) }],
    rateLimiter,
    sync: (name) => terminator.sync(name),
  });
  const wake = ({ metadata }: Namespace, before?: Namespace): void => {
    if (metadata.deletionTimestamp === undefined) return;
    const isNew = before?.metadata.deletionTimestamp === undefined;
    controller.addAfter(metadata.name!, isNew ? 0 : graceMs);
  };
  context.handle(namespaces, {
    onAdd: (namespace) => wake(namespace),
    onUpdate: (before, after) => wake(after, before),
    onDelete: (namespace) => terminator.forget(namespace),
  });
  if (options.namespace.syncPeriodMs > 0)
    context.every(options.namespace.syncPeriodMs, async () => {
      for (const namespace of namespaces.objects.values()) wake(namespace, namespace);
    });
}

class Terminator {
  readonly #context: ControllerContext;
  /** When the deletion of a namespace was seen, by its UID: its timestamp is of the server's clock. */
  readonly #sinceMs = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async sync(name: string): Promise<SyncResult> {
    const namespace = await this.#terminating(name).catch(undefinedWhenGone);
    if (namespace === undefined || (namespace.spec?.finalizers ?? []).length === 0) return undefined;
    const sinceMs = this.#since(namespace);
    const lookedMs = this.#context.clock.now() - sinceMs;
    const content = await this.#deleteContent(namespace);
    await this.#tell(namespace, content);
    const failures = [content.discoveryFailure ?? [], content.deletionFailures].flat();
    if (failures.length > 0) throw new Error(failures.join('; '));
    const waitedMs = this.#context.clock.now() - sinceMs;
    if (content.estimateSeconds > 0) return { requeueAfterMs: nextLookMs(content.estimateSeconds, waitedMs) };
    // What came in until now has been deleted only if this look began after the grace.
    if (lookedMs < graceMs) return { requeueAfterMs: Math.max(0, graceMs - waitedMs) };
    await this.#finalize(namespace).catch(undefinedWhenGone);
    return undefined;
  }

  forget({ metadata }: Namespace): void {
    this.#sinceMs.delete(metadata.uid!);
  }

  #since({ metadata }: Namespace): number {
    const uid = metadata.uid!;
    const now = this.#context.clock.now();
    if (!this.#sinceMs.has(uid)) this.#sinceMs.set(uid, now);
    return this.#sinceMs.get(uid) ?? now;
  }

  /** The namespace in phase Terminating, which admission refuses new objects by. Undefined when it does not end. */
  async #terminating(name: string): Promise<Namespace | undefined> {
    const live = await this.#context.client.core.v1.namespaces.get(name);
    if (live.metadata.deletionTimestamp === undefined) return undefined;
    if (live.status?.phase === 'Terminating') return live;
    return this.#change(live, (namespace) =>
      this.#context.client.core.v1.namespaces.status.update({
        ...namespace,
        status: { ...namespace.status, phase: 'Terminating' },
      }),
    );
  }

  async #deleteContent({ metadata }: Namespace): Promise<DeletedContent> {
    const { wallTime, client, signal } = this.#context;
    let discovery: Discovery;
    try {
      discovery = await discover(client, signal);
    } catch (error) {
      const discoveryFailure = (error as Error).message;
      return { discoveryFailure, deletionFailures: [], remaining: undefined, estimateSeconds: 0 };
    }
    const deletedForMs = Math.max(0, wallTime() - timeMs(metadata.deletionTimestamp!));
    return deleteContent(this.#context, discovery, metadata.name!, deletedForMs);
  }

  /** Writes the conditions where they change. */
  async #tell(namespace: Namespace, findings: Findings): Promise<void> {
    const { client, wallTime } = this.#context;
    const change = async (live: Namespace): Promise<Namespace> => {
      const conditions = conditionsAfter(live.status?.conditions ?? [], findings, wallTime());
      if (conditions === undefined) return live;
      return client.core.v1.namespaces.status.update({ ...live, status: { ...live.status, conditions } });
    };
    await this.#change(namespace, change).catch(undefinedWhenGone);
  }

  async #finalize(namespace: Namespace): Promise<void> {
    await this.#change(namespace, (live) => {
      const finalizers = (live.spec?.finalizers ?? []).filter((name) => name !== finalizer);
      return this.#context.client.core.v1.namespaces.finalize.update({ ...live, spec: { ...live.spec, finalizers } });
    });
  }

  /** Repeats the change on the namespace as it is now while others change it too. */
  async #change(namespace: Namespace, change: (live: Namespace) => Promise<Namespace>): Promise<Namespace> {
    for (let live = namespace; ; ) {
      try {
        return await change(live);
      } catch (error) {
        if (!isConflict(error)) throw error;
        live = await this.#context.client.core.v1.namespaces.get(live.metadata.name!);
        if (live.metadata.uid !== namespace.metadata.uid) throw new Error('namespace uid has changed across retries');
      }
    }
  }
}
