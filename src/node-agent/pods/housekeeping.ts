/**
 * What is left of pods that are gone: containers and sandboxes, control groups, directories, logs. Nothing is taken
 * away before the sources have said which pods there are.
 */
import { lstat, readdir, readlink, rm } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { sleep } from '../../base/clock.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import { unlessGone } from '../runtime/container-runtime.ts';
import { terminationGraceAnnotation } from './config/labels.ts';
import type { PodContext } from './pod-context.ts';
import type { MirrorPods } from './static/mirror-pods.ts';
import type { PodWorkers } from './pod-workers.ts';
import { isPodUid, podDirectory } from './pods-config.ts';
import { isReadySandbox } from './pod-state.ts';
import type { RuntimePod } from './runtime-pod.ts';

export interface HousekeepingOptions {
  readonly context: PodContext;
  readonly workers: PodWorkers;
  /** Whether all sources have said which pods there are. */
  readonly hasSynced: () => boolean;
  readonly mirrors?: MirrorPods | undefined;
}

const periodMs = 2000;
/** What no pod of this process has left behind is looked for so much more seldom. */
const fileRounds = 15;

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #roundAt: number | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** Milliseconds of the clock since a round began; undefined before the first one. */
  get sinceRoundMs(): number | undefined {
    return this.#roundAt === undefined ? undefined : this.#options.context.clock.now() - this.#roundAt;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { context, hasSynced } = this.#options;
    const { signal } = this.#abort;
    for (let round = 0; !signal.aborted; round++) {
      this.#roundAt = context.clock.now();
      try {
        if (hasSynced()) await this.clean({ looksForFiles: round % fileRounds === 0 });
      } catch (error) {
        context.log.warn({ err: error }, 'what is left of pods could not be removed');
      }
      await sleep(context.clock, periodMs, signal);
    }
  }

  /** Once. */
  async clean({ looksForFiles = true } = {}): Promise<void> {
    const { context, workers, mirrors } = this.#options;
    await mirrors?.sync(workers.staticPods());
    for (const [uid, worker] of [...workers.all()])
      if (worker.isRemoved && worker.stage === 'ended') {
        await removeFromRuntime(uid, context);
        // The worker has taken volumes and group away, but for volumes that outlive containers.
        if (context.config.keepsVolumes) await context.volumes.tearDown(uid);
        await removeDirectories(uid, context);
        context.images.forget(uid);
        workers.forget(uid);
      }
    for (const pod of context.cache.pods())
      if (workers.get(pod.uid) === undefined && hasContent(pod)) workers.addOrphan(orphan(pod));
    // What pods had that went while the agent was away.
    for (const uid of context.allocations.uids()) if (workers.get(uid) === undefined) await giveBack(uid, context);
    if (looksForFiles) await this.#removeOrphanedFiles();
  }

  async #removeOrphanedFiles(): Promise<void> {
    const { context, workers } = this.#options;
    const { config, cache } = context;
    const isKnown = (uid: string): boolean => workers.get(uid) !== undefined || cache.get(uid) !== undefined;
    const directories = (await readdir(podDirectory(config.rootDirectory, '')).catch(undefinedWhenAbsent)) ?? [];
    await this.#removeDirectoriesOf(directories.filter((uid) => !isKnown(uid)));
    for (const uid of await context.cgroups.uids()) if (!isKnown(uid)) await context.cgroups.remove(uid);
    for (const name of (await readdir(config.podLogsDirectory).catch(undefinedWhenAbsent)) ?? []) {
      const uid = name.slice(name.lastIndexOf('_') + 1);
      if (uid !== name && !isKnown(uid))
        await rm(`${config.podLogsDirectory}/${name}`, { recursive: true, force: true });
    }
    await removeDeadLinks(config.containerLogsDirectory, config.podLogsDirectory);
  }

  /** One that cannot go does not keep the others. */
  async #removeDirectoriesOf(uids: readonly string[]): Promise<void> {
    const { context } = this.#options;
    let errors = 0;
    for (const uid of uids)
      await removeFiles(uid, context).catch((error: unknown) => {
        errors++;
        context.log.warn({ err: error, uid }, 'the directory of a pod that is gone could not be removed');
      });
    context.volumeObserver?.cleanedOrphans(uids.length - errors, errors);
  }
}

/** A driver that does not take its devices back does not hold the rest up. */
async function giveBack(uid: string, { allocations, log }: PodContext): Promise<void> {
  allocations.release(uid);
  await allocations
    .unprepare(uid)
    .catch((error: unknown) => log.warn({ err: error, uid }, 'claims of a pod that is gone are not taken back'));
}

const hasContent = ({ sandboxes, containers }: RuntimePod): boolean => sandboxes.length + containers.length > 0;

/** As much of the pod as its containers say. */
function orphan({ uid, name, namespace, containers }: RuntimePod): Pod {
  const graces = containers.map(({ status }) => Number(status.annotations?.[terminationGraceAnnotation] ?? 0));
  const deletionGracePeriodSeconds = Math.max(0, ...graces.filter((seconds) => !Number.isNaN(seconds)));
  const deletionTimestamp = '1970-01-01T00:00:00Z';
  return {
    metadata: { uid, name, namespace, deletionTimestamp, deletionGracePeriodSeconds },
    spec: { containers: [] },
    status: {},
  } as unknown as Pod;
}

async function removeFromRuntime(uid: string, { runtime, cache }: PodContext): Promise<void> {
  const pod = cache.get(uid);
  for (const { status } of pod?.containers ?? [])
    await unlessGone(runtime.removeContainer({ containerId: status.id ?? '' }));
  for (const sandbox of pod?.sandboxes ?? []) {
    const podSandboxId = sandbox.id ?? '';
    if (isReadySandbox(sandbox)) await unlessGone(runtime.stopPodSandbox({ podSandboxId }));
    await unlessGone(runtime.removePodSandbox({ podSandboxId }));
  }
  cache.drop(uid);
}

async function removeFiles(uid: string, context: PodContext): Promise<void> {
  if (!isPodUid(uid)) return;
  await context.volumes.tearDown(uid);
  await context.cgroups.remove(uid);
  await removeDirectories(uid, context);
}

async function removeDirectories(uid: string, { config }: PodContext): Promise<void> {
  if (!isPodUid(uid)) return;
  await rm(podDirectory(config.rootDirectory, uid), { recursive: true, force: true });
  for (const name of (await readdir(config.podLogsDirectory).catch(undefinedWhenAbsent)) ?? [])
    if (name.endsWith(`_${uid}`)) await rm(`${config.podLogsDirectory}/${name}`, { recursive: true, force: true });
}

/** Links to logs that are gone; what others put there stays. */
async function removeDeadLinks(directory: string, logs: string): Promise<void> {
  for (const name of (await readdir(directory).catch(undefinedWhenAbsent)) ?? []) {
    const target = await readlink(`${directory}/${name}`).catch(() => undefined);
    if (target === undefined || !target.startsWith(`${logs}/`)) continue;
    if ((await lstat(target).catch(undefinedWhenAbsent)) === undefined)
      await rm(`${directory}/${name}`, { force: true });
  }
}
