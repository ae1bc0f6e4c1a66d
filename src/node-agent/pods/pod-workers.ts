/** The workers of all pods, by uid. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import type { Refusal } from './admission/admission-request.ts';
import type { PodContext } from './pod-context.ts';
import { PodWorker } from './pod-worker.ts';
import { isStaticPod } from './static/static-pod.ts';

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

  /** Those that have not begun to end. */
  running(): readonly Pod[] {
    return [...this.#workers.values()]
      .filter(({ stage, isRefused }) => stage === 'alive' && !isRefused)
      .map(({ pod }) => pod);
  }

  /** That have resources of the node. */
  othersOf({ metadata }: Pod): readonly Pod[] {
    return [...this.#workers.values()]
      .filter(({ pod, stage, isRefused }) => pod.metadata.uid !== metadata.uid && stage !== 'ended' && !isRefused)
      .map(({ pod }) => this.#context?.resizes?.sized(pod) ?? pod);
  }

  /** With their statuses as they are now, whether these are written or not. */
  pods(): readonly Pod[] {
    const live = [...this.#workers.values()].filter(({ isRemoved }) => !isRemoved);
    return live.map(({ pod }) => {
      const status = this.#context?.statuses.statusOf(pod.metadata.uid ?? '');
      return status === undefined ? pod : { ...pod, status };
    });
  }

  /** Static ones that live or end: of two of the same name, the one that lives. */
  staticPods(): readonly Pod[] {
    return [...this.#workers.values()]
      .filter(({ pod, stage, isRemoved }) => isStaticPod(pod) && !(isRemoved && stage === 'ended'))
      .sort((a, b) => Number(b.isRemoved) - Number(a.isRemoved))
      .map(({ pod }) => pod);
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
    const worker = this.#workers.get(uid);
    worker?.remove();
    // The mirror of a static pod shows how it ends.
    if (worker === undefined || !isStaticPod(worker.pod)) this.#context?.statuses.forget(uid);
  }

  /** Nothing of the pod is left. */
  forget(uid: string): void {
    this.#workers.delete(uid);
    this.#context?.observer?.forgotten(uid);
    this.#context?.statuses.forget(uid);
  }

  wake(uid: string): void {
    this.#workers.get(uid)?.wake();
  }

  refresh(uid: string): void {
    this.#workers.get(uid)?.refresh();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }

  #add(uid: string, pod: Pod): PodWorker {
    const worker = new PodWorker(pod, this.#context!);
    const isNew = pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
    this.#context!.observer?.seen(pod);
    if (isNew) this.#admit(worker);
    // A static pod that has changed is another pod of the same name.
    const same = [...this.#workers.values()].filter(
      (other) => other.stage !== 'ended' && isSameName(other.pod, pod) && isStaticPod(pod),
    );
    if (same.length > 0) worker.startAfter(Promise.all(same.map(({ ended }) => ended)));
    this.#workers.set(uid, worker);
    worker.start();
    return worker;
  }

  #admit(worker: PodWorker): void {
    const others = [...this.#workers.values()].filter((other) => other.stage !== 'ended' && !other.isRefused);
    const { refusal, preempt } = this.#context!.admission(
      // A pod that was resized is judged by what it has.
      this.#context!.resizes?.sized(worker.pod) ?? worker.pod,
      others.map(({ pod }) => this.#context!.resizes?.sized(pod) ?? pod),
    );
    const { observer } = this.#context!;
    const victims = others.filter(({ pod }) => preempt.some(({ metadata }) => metadata.uid === pod.metadata.uid));
    for (const victim of victims) {
      victim.preempt();
      observer?.preempted();
    }
    const haveEnded = Promise.all(victims.map(({ ended }) => ended));
    if (mayAllocate(refusal) && this.#context!.allocations.isAsked(worker.pod))
      return worker.startAfter(haveEnded.then(() => this.#allocate(worker, refusal)));
    if (refusal !== undefined) this.#refuse(worker, refusal);
    if (victims.length > 0) worker.startAfter(haveEnded);
  }

  #refuse(worker: PodWorker, refusal: Refusal): void {
    worker.refuse(refusal);
    this.#context!.observer?.refused(refusal.reason);
  }

  /** Gives the pod what it asks for; without it the pod is refused. */
  async #allocate(worker: PodWorker, refusal: Refusal | undefined): Promise<void> {
    const { allocations } = this.#context!;
    const problem = (await allocations.admit(worker.pod)) ?? refusal;
    if (problem === undefined) return;
    allocations.release(worker.pod.metadata.uid ?? '');
    this.#refuse(worker, problem);
  }
}

/** A resource that is short is told in the words of its manager. */
const mayAllocate = (refusal: Refusal | undefined): boolean =>
  refusal === undefined || refusal.reason.startsWith('OutOf');

const isSameName = (a: Pod, b: Pod): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
