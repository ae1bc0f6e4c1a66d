/**
 * A runtime without processes: containers are states that stages change (`stages/`).
 *
 * What the life cycle begins is noted, and ends when a stage says so: a container that is started is `created` until a
 * stage lets it run, and one that is asked to stop runs until a stage ends it, or its grace is over.
 */
import { createHash } from 'node:crypto';
import { crashLoopReason, nextBackOff } from '../pod-lifecycle/back-off.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import type { ContainerRecord, ExitedContainer, PodLike, PodState } from '../pod-lifecycle/state.ts';
import { tally } from './tally.ts';
import { noPod, type PodRuntime } from '../runtime/pod-runtime.ts';

export interface SimulatedRuntimeOptions {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Addresses of a sandbox. Throws when there are none left: the sandbox is not made then. */
  readonly assignIPs: (pod: PodLike) => readonly string[];
}

/** How a simulated container ends. */
export interface SimulatedExit {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

interface SimulatedPod {
  sandbox: PodState['sandbox'];
  podIPs: readonly string[];
  readonly containers: Map<string, ContainerRecord>;
  /** Containers that were asked to stop, with the time when they are killed. */
  stopping?: Map<string, number> | undefined;
  /** How often anything of it changed. */
  changes: number;
}

export class SimulatedRuntime implements PodRuntime {
  readonly #options: SimulatedRuntimeOptions;
  readonly #pods = new Map<string, SimulatedPod>();

  constructor(options: SimulatedRuntimeOptions) {
    this.#options = options;
  }

  stateOf(uid: string): PodState {
    return this.#pods.get(uid) ?? noPod;
  }

  /** Pods with a sandbox, and containers by state. */
  counts(): { readonly pods: number; readonly containers: ReadonlyMap<string, number> } {
    const pods = [...this.#pods.values()];
    return {
      pods: pods.filter(({ sandbox }) => sandbox === 'ready').length,
      containers: tally(
        pods.flatMap(({ containers }) =>
          [...containers.values()].flatMap(({ newest }) => (newest === undefined ? [] : [newest.state])),
        ),
      ),
    };
  }

  /** Grows with each change of the pod. */
  changesOf(uid: string): number {
    return this.#pods.get(uid)?.changes ?? 0;
  }

  /** The state of a pod that ran before this runtime began. */
  adopt(uid: string, { sandbox, podIPs, containers }: PodState): void {
    const before = this.#pods.get(uid);
    const kept = new Map<string, ContainerRecord>();
    for (const [name, record] of containers) {
      const known = before?.containers.get(name);
      const restartCount = Math.max(known?.restartCount ?? 0, record.restartCount);
      kept.set(name, { ...record, restartCount, backOff: record.backOff ?? known?.backOff });
    }
    const ips = podIPs.length > 0 ? podIPs : (before?.podIPs ?? []);
    this.#pods.set(uid, { sandbox, podIPs: ips, containers: kept, changes: before?.changes ?? 0 });
  }

  makeSandbox(pod: PodLike): void {
    const simulated = this.#podOf(pod);
    if (simulated.sandbox === 'ready') return;
    this.addressesOf(pod);
    simulated.sandbox = 'ready';
    simulated.changes++;
  }

  /** The addresses that the sandbox has, or will have. */
  addressesOf(pod: PodLike): readonly string[] {
    const simulated = this.#podOf(pod);
    if (simulated.podIPs.length === 0) simulated.podIPs = this.#options.assignIPs(pod);
    return simulated.podIPs;
  }

  start(pod: PodLike, { name, spec }: PodContainer): void {
    const simulated = this.#podOf(pod);
    const { containers } = simulated;
    const record = containers.get(name) ?? { restartCount: 0 };
    const { newest } = record;
    if (newest !== undefined && newest.state !== 'exited') return;
    const restartCount = newest === undefined ? record.restartCount : record.restartCount + 1;
    const image = spec.image ?? '';
    simulated.changes++;
    containers.set(name, {
      newest: { state: 'created', id: containerId(pod, name, restartCount), image, imageID: imageId(image) },
      previous: newest,
      restartCount,
      backOff: nextBackOff(record, this.#options.nowMs()),
    });
  }

  /** The status says why the container is not started yet. */
  waitForRestart(pod: PodLike, { name }: PodContainer): void {
    const simulated = this.#podOf(pod);
    const { containers } = simulated;
    const record = containers.get(name);
    if (record?.backOff === undefined || record.waiting !== undefined) return;
    simulated.changes++;
    containers.set(name, { ...record, waiting: crashLoopReason(pod, name, record.backOff) });
  }

  stop(pod: PodLike, { name }: PodContainer, graceSeconds: number): void {
    const simulated = this.#podOf(pod);
    simulated.stopping ??= new Map();
    if (simulated.stopping.has(name)) return;
    simulated.stopping.set(name, this.#options.nowMs() + graceSeconds * 1000);
    simulated.changes++;
  }

  stopSandbox(pod: PodLike): void {
    const simulated = this.#podOf(pod);
    if (simulated.sandbox !== 'ready') return;
    simulated.sandbox = 'stopped';
    simulated.changes++;
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
  }

  /** Names of containers that were begun and do not run yet. */
  created(uid: string): string[] {
    return this.#namesOf(uid, ({ newest }) => newest?.state === 'created');
  }

  running(uid: string): string[] {
    return this.#namesOf(uid, ({ newest }) => newest?.state === 'running');
  }

  /** Of those that were asked to stop; with the time when each of them is killed. */
  stopping(uid: string): ReadonlyMap<string, number> | undefined {
    return this.#pods.get(uid)?.stopping;
  }

  run(uid: string, name: string): void {
    this.#change(uid, name, (record) => {
      const { newest } = record;
      if (newest?.state !== 'created') return record;
      const startedAtMs = this.#options.nowMs();
      return { ...record, newest: { ...newest, state: 'running', startedAtMs, isStarted: true, isReady: true } };
    });
  }

  /** A container that does not run yet ends too: it was there for no time. */
  exit(uid: string, name: string, { exitCode, reason, message }: SimulatedExit): void {
    this.#pods.get(uid)?.stopping?.delete(name);
    this.#change(uid, name, (record) => {
      const { newest } = record;
      if (newest === undefined || newest.state === 'exited') return record;
      const finishedAtMs = this.#options.nowMs();
      const exited: ExitedContainer = {
        state: 'exited',
        id: newest.id,
        image: newest.image,
        imageID: newest.imageID,
        startedAtMs: newest.state === 'running' ? newest.startedAtMs : finishedAtMs,
        finishedAtMs,
        exitCode,
        reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
        ...(message === undefined ? {} : { message }),
      };
      return { ...record, newest: exited };
    });
  }

  #change(uid: string, name: string, change: (record: ContainerRecord) => ContainerRecord): void {
    const pod = this.#pods.get(uid);
    const record = pod?.containers.get(name);
    if (record === undefined) return;
    pod!.containers.set(name, change(record));
    pod!.changes++;
  }

  #namesOf(uid: string, isMeant: (record: ContainerRecord) => boolean): string[] {
    const { containers } = this.stateOf(uid);
    return [...containers].flatMap(([name, record]) => (isMeant(record) ? [name] : []));
  }

  #podOf({ metadata }: PodLike): SimulatedPod {
    const uid = metadata.uid ?? '';
    let pod = this.#pods.get(uid);
    if (pod === undefined) {
      pod = { sandbox: 'none', podIPs: [], containers: new Map(), changes: 0 };
      this.#pods.set(uid, pod);
    }
    return pod;
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same after a restart of the process. */
const containerId = ({ metadata }: PodLike, name: string, attempt: number): string =>
  `hollow://${digestOf(`${metadata.uid}/${name}/${attempt}`)}`;

/** Pods run few images: the texts are shared. */
const imageIds = new Map<string, string>();
const mostImageIds = 1000;

function imageId(image: string): string {
  let id = imageIds.get(image);
  if (id === undefined) {
    if (imageIds.size >= mostImageIds) imageIds.clear();
    id = `sha256:${digestOf(image)}`;
    imageIds.set(image, id);
  }
  return id;
}
