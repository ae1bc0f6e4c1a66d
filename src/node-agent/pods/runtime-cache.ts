/**
 * What the runtime has of all pods, asked each second, and who changed since.
 *
 * 1. Two lists say which sandboxes and containers there are, and in which state.
 * 2. A pod for which that differs from the time before is read in full, and its worker is told.
 * 3. A worker that has just changed something reads that by itself: it does not wait for the next list.
 *
 * What was read later stands, whichever answer arrives first.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type ContainerRuntime, isNotFound } from '../runtime/container-runtime.ts';
import type { ContainerStatus, PodSandbox, PodSandboxStatus } from '../runtime/gen/cri.ts';
import { podUidLabel } from './config/labels.ts';
import { isReadySandbox } from './pod-state.ts';
import {
  byAge,
  fingerprint,
  groupedByPod,
  type ListedPod,
  type RuntimeContainer,
  type RuntimePod,
} from './runtime-pod.ts';

export interface RuntimeCacheOptions {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly log: Logger;
  /** The last words of a container that has ended; undefined when there are none. */
  readonly readMessage: (status: ContainerStatus) => Promise<string | undefined>;
  /** Told after each change, whether the pod is known or not. */
  readonly onChange: (uid: string) => void;
  /** Told of each list: how long it took, and the time since the one before, in seconds. */
  readonly onListed?: ((seconds: number, sinceLastSeconds: number | undefined) => void) | undefined;
}

const relistMs = 1000;
/** Pods that are read at the same time after a list. */
const readsAtOnce = 8;

interface Known {
  readonly pod: RuntimePod | undefined;
  readonly fingerprint: string;
  /** Which read it came from; they are counted. */
  readonly read: number;
}

type PodKey = Pick<RuntimePod, 'uid' | 'name' | 'namespace'>;

const listedOf = ({ sandboxes, containers }: RuntimePod) => ({
  sandboxes,
  containers: containers.map(({ status }) => status),
});

export class RuntimeCache {
  readonly #options: RuntimeCacheOptions;
  readonly #pods = new Map<string, Known>();
  /** Of containers that have ended, by id: that does not change any more. */
  readonly #ended = new Map<string, RuntimeContainer>();
  /** Of sandboxes that are ready, by id: that does not change as long as they are. */
  readonly #ready = new Map<string, PodSandboxStatus>();
  readonly #abort = new AbortController();
  #reads = 0;
  #lastListAt: number | undefined;
  #running: Promise<void> | undefined;

  constructor(options: RuntimeCacheOptions) {
    this.#options = options;
  }

  /** Milliseconds of the clock since the runtime was listed; undefined before the first time. */
  get sinceListMs(): number | undefined {
    return this.#lastListAt === undefined ? undefined : this.#options.clock.now() - this.#lastListAt;
  }

  get(uid: string): RuntimePod | undefined {
    return this.#pods.get(uid)?.pod;
  }

  pods(): RuntimePod[] {
    return [...this.#pods.values()].flatMap(({ pod }) => (pod === undefined ? [] : [pod]));
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        await this.relist();
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'the container runtime could not be listed');
      }
      await sleep(clock, relistMs, signal);
    }
  }

  /** Lists everything once. */
  async relist(): Promise<void> {
    const { runtime, clock, onChange, onListed } = this.#options;
    const begunAt = clock.now();
    const read = ++this.#reads;
    const { signal } = this.#abort;
    const [sandboxes, containers] = await Promise.all([
      runtime.listPodSandbox({}, { signal }),
      runtime.listContainers({}, { signal }),
    ]);
    const since = this.#lastListAt === undefined ? undefined : (clock.now() - this.#lastListAt) / 1000;
    this.#lastListAt = clock.now();
    onListed?.((this.#lastListAt - begunAt) / 1000, since);
    const listed = groupedByPod(sandboxes.items ?? [], containers.containers ?? []);
    const gone = [...this.#pods].filter(([uid, known]) => !listed.has(uid) && known.read < read);
    for (const [uid, { pod }] of gone) {
      this.#pods.delete(uid);
      if (pod !== undefined) onChange(uid);
    }
    forgetOthers(this.#ended, containers.containers ?? []);
    forgetOthers(this.#ready, sandboxes.items ?? []);
    const changed = [...listed.values()].filter((pod) => {
      const known = this.#pods.get(pod.uid);
      return known === undefined || (known.read < read && known.fingerprint !== fingerprint(pod));
    });
    for (let at = 0; at < changed.length; at += readsAtOnce)
      await Promise.all(changed.slice(at, at + readsAtOnce).map((pod) => this.#readListed(pod, read)));
  }

  /** One that cannot be read is read again with the next list. */
  async #readListed(listed: ListedPod, read: number): Promise<void> {
    const { log, onChange } = this.#options;
    try {
      await this.#read(listed, read);
      onChange(listed.uid);
    } catch (error) {
      if (!this.#abort.signal.aborted)
        log.warn({ err: error, uid: listed.uid }, 'a pod of the runtime could not be read');
    }
  }

  /** The pod as it is now; undefined when the runtime has nothing of it. */
  async refresh(uid: string): Promise<RuntimePod | undefined> {
    const { runtime } = this.#options;
    const read = ++this.#reads;
    const filter = { labelSelector: { [podUidLabel]: uid } };
    const { signal } = this.#abort;
    const [sandboxes, containers] = await Promise.all([
      runtime.listPodSandbox({ filter }, { signal }),
      runtime.listContainers({ filter }, { signal }),
    ]);
    const listed = groupedByPod(sandboxes.items ?? [], containers.containers ?? []).get(uid);
    if (listed === undefined) {
      if ((this.#pods.get(uid)?.read ?? 0) < read) this.#pods.set(uid, { pod: undefined, fingerprint: '', read });
      return undefined;
    }
    return this.#read(listed, read);
  }

  /** The pod with a sandbox that has just been made. */
  async learnSandbox(of: PodKey, sandboxId: string): Promise<RuntimePod | undefined> {
    const sandbox = await this.#readSandbox({ id: sandboxId, state: 'SANDBOX_NOTREADY' });
    if (sandbox === undefined) return this.refresh(of.uid);
    return this.#merge(of, ({ sandboxes, ...pod }) => ({
      ...pod,
      sandboxes: [sandbox, ...sandboxes.filter(({ id }) => id !== sandboxId)].sort(byAge),
    }));
  }

  /** The pod with a container that has just been started. */
  async learnContainer(of: PodKey, containerId: string, sandboxId: string): Promise<RuntimePod | undefined> {
    const container = await this.#readContainer(containerId, sandboxId);
    if (container === undefined) return this.refresh(of.uid);
    return this.#merge(of, ({ containers, ...pod }) => ({
      ...pod,
      containers: [container, ...containers.filter(({ status }) => status.id !== containerId)].sort((a, b) =>
        byAge(a.status, b.status),
      ),
    }));
  }

  /** The pod without a container that has just been removed. */
  forgetContainer(of: PodKey, containerId: string): RuntimePod {
    return this.#merge(of, ({ containers, ...pod }) => ({
      ...pod,
      containers: containers.filter(({ status }) => status.id !== containerId),
    }));
  }

  /** The pod as it is now, where nothing has been made meanwhile. */
  reread(uid: string): Promise<RuntimePod | undefined> {
    const known = this.get(uid);
    if (known === undefined) return this.refresh(uid);
    const { sandboxes, containers } = known;
    return this.#read(
      {
        ...known,
        sandboxes: sandboxes.map(({ id }) => ({ id, state: 'SANDBOX_NOTREADY' })),
        containers: containers.map(({ status: { id }, sandboxId }) => ({ id, podSandboxId: sandboxId })),
      },
      ++this.#reads,
    );
  }

  /** Everything of the pod was removed. What is left all the same shows in the next list. */
  drop(uid: string): void {
    this.#pods.set(uid, { pod: undefined, fingerprint: '', read: ++this.#reads });
  }

  /** What was read of one part is later than all that has been asked before. */
  #merge(of: PodKey, change: (pod: RuntimePod) => RuntimePod): RuntimePod {
    const pod = change(this.get(of.uid) ?? { ...of, sandboxes: [], containers: [] });
    this.#pods.set(of.uid, { pod, fingerprint: fingerprint(listedOf(pod)), read: ++this.#reads });
    return pod;
  }

  async #read(listed: ListedPod, read: number): Promise<RuntimePod> {
    const [sandboxes, containers] = await Promise.all([
      Promise.all(listed.sandboxes.map((sandbox) => this.#readSandbox(sandbox))),
      Promise.all(listed.containers.map(({ id = '', podSandboxId = '' }) => this.#readContainer(id, podSandboxId))),
    ]);
    const { uid, name, namespace } = listed;
    const pod: RuntimePod = {
      uid,
      name,
      namespace,
      sandboxes: sandboxes.filter((sandbox) => sandbox !== undefined).sort(byAge),
      containers: containers.filter((container) => container !== undefined).sort((a, b) => byAge(a.status, b.status)),
    };
    if ((this.#pods.get(uid)?.read ?? 0) <= read)
      this.#pods.set(uid, { pod, fingerprint: fingerprint(listedOf(pod)), read });
    return pod;
  }

  async #readSandbox(listed: PodSandbox): Promise<PodSandboxStatus | undefined> {
    const { id: podSandboxId = '' } = listed;
    const known = isReadySandbox(listed) ? this.#ready.get(podSandboxId) : undefined;
    if (known !== undefined) return known;
    const { runtime } = this.#options;
    const { signal } = this.#abort;
    const { status } = await runtime.podSandboxStatus({ podSandboxId }, { signal }).catch(emptyWhenGone);
    if (status !== undefined && isReadySandbox(status)) this.#ready.set(podSandboxId, status);
    return status;
  }

  async #readContainer(containerId: string, sandboxId: string): Promise<RuntimeContainer | undefined> {
    const ended = this.#ended.get(containerId);
    if (ended !== undefined) return ended;
    const { runtime, readMessage } = this.#options;
    const { signal } = this.#abort;
    const { status } = await runtime.containerStatus({ containerId }, { signal }).catch(emptyWhenGone);
    if (status === undefined) return undefined;
    if (status.state !== 'CONTAINER_EXITED') return { status, sandboxId };
    const container = { status, sandboxId, terminationMessage: await readMessage(status) };
    this.#ended.set(containerId, container);
    return container;
  }
}

function forgetOthers(known: Map<string, unknown>, listed: readonly { readonly id?: string | undefined }[]): void {
  const ids = new Set(listed.map(({ id = '' }) => id));
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
}

function emptyWhenGone(error: unknown): { readonly status?: undefined } {
  if (isNotFound(error)) return {};
  throw error;
}
