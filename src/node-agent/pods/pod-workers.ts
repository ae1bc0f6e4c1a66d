/** The workers of all pods, by uid. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PodContext } from './pod-context.ts';
import { PodWorker } from './pod-worker.ts';

export class PodWorkers {
  readonly #workers = new Map<string, PodWorker>();
  #context: PodContext | undefined;

  begin(context: PodContext): void {
    this.#context = context;
  }

  get(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  all(): IterableIterator<[string, PodWorker]> {
    return this.#workers.entries();
  }

  pods(): readonly Pod[] {
    return [...this.#workers.values()].filter(({ isRemoved }) => !isRemoved).map(({ pod }) => pod);
  }

  /** A pod is new, or has changed. */
  set(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const worker = this.#workers.get(uid);
    if (worker === undefined) this.#add(uid, pod);
    else worker.update(pod);
  }

  /** A pod that only the runtime knows: it is ended. */
  addOrphan(pod: Pod): void {
    this.#add(pod.metadata.uid ?? '', pod).remove();
  }

  /** The pod is gone from its source. */
  remove(uid: string): void {
    this.#workers.get(uid)?.remove();
    this.#context?.statuses.forget(uid);
  }

  /** Nothing of the pod is left. */
  forget(uid: string): void {
    this.#workers.delete(uid);
  }

  wake(uid: string): void {
    this.#workers.get(uid)?.wake();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }

  #add(uid: string, pod: Pod): PodWorker {
    const worker = new PodWorker(pod, this.#context!);
    this.#workers.set(uid, worker);
    worker.start();
    return worker;
  }
}
