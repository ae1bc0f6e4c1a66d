/** Empties volumes by pods, one for each volume, and waits for them without keeping others from being looked at. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { isAlreadyExists } from '../../client/api-error.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claimIndex } from '../shared/ephemeral-claims.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { type RecycledSource, type RecyclerTemplate, recyclerPod } from './recycler-pod.ts';
import type { StorageWriter } from './storage-writer.ts';

export type RecycleProgress =
  | { readonly is: 'done' }
  /** @param afterMs when to look again, where nothing else tells of a change */
  | { readonly is: 'under way'; readonly afterMs?: number }
  | { readonly is: 'failed'; readonly reason: string };

export interface RecyclerParts {
  readonly pods: Informer<Pod>;
  readonly claims: MutationCache<PersistentVolumeClaim>;
  readonly writer: StorageWriter;
  readonly templates: { readonly hostPath: RecyclerTemplate; readonly nfs: RecyclerTemplate };
}

interface Operation {
  readonly pod: Pod;
  /** Ends the watch of what happens to the pod. */
  readonly watched: AbortController;
}

interface Pause {
  readonly failures: number;
  /** By the clock. */
  readonly until: number;
}

const firstPauseMs = 500;
const longestPauseMs = 122_000;

export class Recycler {
  readonly #context: ControllerContext;
  readonly #parts: RecyclerParts;
  /** By the name of the volume. */
  readonly #operations = new Map<string, Operation>();
  readonly #pauses = new Map<string, Pause>();
  #pods: MutationCache<Pod> | undefined;

  constructor(context: ControllerContext, parts: RecyclerParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Goes on with the volume, as far as that is possible now. */
  async advance(volume: PersistentVolume, source: RecycledSource): Promise<RecycleProgress> {
    const name = volume.metadata.name!;
    const operation = this.#operations.get(name);
    if (operation !== undefined) return this.#look(name, operation);
    const pauseMs = (this.#pauses.get(name)?.until ?? 0) - this.#context.clock.now();
    if (pauseMs > 0) return { is: 'under way', afterMs: pauseMs };
    if (this.#isUsed(volume)) return { is: 'under way' };
    return this.#begin(volume, source);
  }

  /** The volume is gone, or has a claim. */
  forget(name: string): void {
    this.#operations.get(name)?.watched.abort();
    this.#operations.delete(name);
    this.#pauses.delete(name);
  }

  stop(): void {
    for (const name of [...this.#operations.keys()]) this.forget(name);
  }

  /** Pods may run for longer than their claim. */
  #isUsed(volume: PersistentVolume): boolean {
    const { claimRef } = volume.spec;
    const key = `${claimRef?.namespace}/${claimRef?.name}`;
    // A claim of that name is another one, with another volume.
    if (this.#parts.claims.get(key) !== undefined) return false;
    const users = this.#parts.pods.objects.byIndex(claimIndex, key).filter((pod) => !isPodTerminal(pod));
    if (users.length === 0) return false;
    const message = `Volume is used by pods: ${users.map((pod) => this.#parts.pods.keyOf(pod)).join(',')}`;
    this.#parts.writer.tell(volume, { type: 'Normal', reason: 'VolumeFailedRecycle', message });
    return true;
  }

  async #begin(volume: PersistentVolume, source: RecycledSource): Promise<RecycleProgress> {
    const { hostPath, nfs } = this.#parts.templates;
    const name = volume.metadata.name!;
    const wanted = recyclerPod(volume, source, source.hostPath === undefined ? nfs : hostPath);
    const { pods } = this.#context.client.core.v1;
    this.#pods ??= this.#context.mutationCache(this.#parts.pods);
    try {
      const pod = await pods.create(wanted);
      this.#pods.wrote(pod);
      const watched = new AbortController();
      this.#operations.set(name, { pod, watched });
      void this.#forwardEvents(volume, pod, watched.signal);
      return { is: 'under way' };
    } catch (error) {
      if (!isAlreadyExists(error)) {
        return this.#failed(name, `unexpected error creating recycler pod:  ${(error as Error).message}`);
      }
      // It may be one that a user has made to keep volumes from being emptied.
      await this.#remove(wanted);
      return this.#failed(name, 'old recycler pod found, will retry later');
    }
  }

  async #look(name: string, { pod }: Operation): Promise<RecycleProgress> {
    const now = this.#pods!.get(this.#parts.pods.keyOf(pod));
    if (now?.metadata.uid !== pod.metadata.uid) return this.#end(name, 'recycler pod was deleted');
    const { phase, message = '' } = now?.status ?? {};
    if (phase !== 'Succeeded' && phase !== 'Failed') return { is: 'under way' };
    await this.#remove(pod);
    if (phase === 'Failed') return this.#end(name, message || 'pod failed, pod.Status.Message unknown.');
    this.forget(name);
    return { is: 'done' };
  }

  #end(name: string, reason: string): RecycleProgress {
    this.#operations.get(name)?.watched.abort();
    this.#operations.delete(name);
    return this.#failed(name, `failed to recycle volume: ${reason}`);
  }

  #failed(name: string, reason: string): RecycleProgress {
    const { failures } = this.#pauses.get(name) ?? { failures: 0 };
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    this.#pauses.set(name, { failures: failures + 1, until: this.#context.clock.now() + pauseMs });
    return { is: 'failed', reason };
  }

  async #remove({ metadata }: Pod): Promise<void> {
    const pods = this.#context.client.core.v1.pods.namespace(metadata.namespace!);
    await pods.delete(metadata.name!).catch(undefinedWhenGone);
  }

  /** What happens to the pod is told as events of the volume. */
  async #forwardEvents(volume: PersistentVolume, { metadata }: Pod, signal: AbortSignal): Promise<void> {
    const fieldSelector = `involvedObject.name=${metadata.name}`;
    const events = this.#context.client.core.v1.events.namespace(metadata.namespace!);
    try {
      for await (const { type, object } of events.watch({ fieldSelector, signal })) {
        if (type !== 'ADDED' || object.involvedObject.uid !== metadata.uid) continue;
        const message = `Recycler pod: ${object.message ?? ''}`;
        const level = object.type === 'Warning' ? 'Warning' : 'Normal';
        this.#parts.writer.tell(volume, { type: level, reason: 'RecyclerPod', message });
      }
    } catch (error) {
      if (!signal.aborted) this.#context.log.warn({ err: error }, 'events of a recycler pod could not be watched');
    }
  }
}
