/**
 * Pods whose CPU and memory change while they run (feature gate InPlacePodVerticalScaling). What a pod has is written
 * to its directory: a new process of the agent goes on with that, whatever the pod asks for meanwhile.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import type { Container, Pod, ResourceRequirements } from '../../../api/gen/types/core-v1.ts';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import type { Logger } from '../../../base/logger.ts';
import { isPodUid, podDirectory } from '../pods-config.ts';
import {
  type Allocation,
  allocationOf,
  changedResources,
  decideResize,
  isResized,
  mustRestart,
  type ResizeQuestion,
  type ResizeStatus,
  withAllocation,
} from './decide-resize.ts';

export interface PodResizesOptions {
  readonly rootDirectory: string;
  readonly refusal: ResizeQuestion['refusal'];
  readonly isStatic: (pod: Pod) => boolean;
  readonly hasExclusive: boolean;
  readonly log: Logger;
}

interface Sized {
  allocation: Allocation;
  status: ResizeStatus | undefined;
  /** By id of the container: what the runtime was told. */
  readonly applied: Map<string, ResourceRequirements>;
  /** A process before this one may have told the runtime something else. */
  readonly isAdopted: boolean;
}

export class PodResizes {
  readonly #options: PodResizesOptions;
  /** By uid. */
  readonly #pods = new Map<string, Sized>();

  constructor(options: PodResizesOptions) {
    this.#options = options;
  }

  /** What pods have from before this process, before any of them is judged. */
  async start(): Promise<void> {
    const { rootDirectory, log } = this.#options;
    for (const uid of (await readdir(podDirectory(rootDirectory, '')).catch(undefinedWhenAbsent)) ?? []) {
      if (!isPodUid(uid)) continue;
      try {
        const text = await readFile(this.#fileOf(uid), 'utf8').catch(undefinedWhenAbsent);
        if (text === undefined) continue;
        const allocation = JSON.parse(text) as Allocation;
        this.#pods.set(uid, { allocation, status: 'InProgress', applied: new Map(), isAdopted: true });
      } catch (error) {
        log.warn({ err: error, uid }, 'what a pod has of CPU and memory could not be read');
      }
    }
  }

  /** @returns the pod with what it has, which is what it asks for where that fits */
  async allocate(pod: Pod): Promise<Pod> {
    const uid = pod.metadata.uid ?? '';
    const known = this.#pods.get(uid) ?? newlySized(pod);
    this.#pods.set(uid, known);
    if (!isResized(pod, known.allocation)) {
      if (known.status !== 'InProgress') known.status = undefined;
      return withAllocation(pod, known.allocation);
    }
    const decision = decideResize({ ...this.#options, pod, isStatic: this.#options.isStatic(pod) });
    if (decision === 'fits') {
      known.allocation = allocationOf(pod);
      known.status = 'InProgress';
      await this.#write(uid, known.allocation);
    } else known.status = decision;
    return withAllocation(pod, known.allocation);
  }

  /** What a pod counts with for others. */
  sized(pod: Pod): Pod {
    const known = this.#pods.get(pod.metadata.uid ?? '');
    return known === undefined ? pod : withAllocation(pod, known.allocation);
  }

  statusOf(uid: string): ResizeStatus | undefined {
    return this.#pods.get(uid)?.status;
  }

  /** The runtime has made or changed the container with what it has. */
  applied(uid: string, containerId: string, { resources }: Pick<Container, 'resources'>): void {
    this.#pods.get(uid)?.applied.set(containerId, resources ?? {});
  }

  /** What is to be done with a running container, that it has what it should. */
  actionOf(uid: string, containerId: string, container: Container): 'none' | 'update' | 'restart' {
    const known = this.#pods.get(uid);
    if (known === undefined) return 'none';
    const before = known.applied.get(containerId);
    if (before === undefined) {
      // Told again, it does no harm; started anew, it would.
      if (known.isAdopted) return 'update';
      known.applied.set(containerId, container.resources ?? {});
      return 'none';
    }
    const changed = changedResources(before, container.resources ?? {});
    if (changed.length === 0) return 'none';
    return mustRestart(container, changed) ? 'restart' : 'update';
  }

  /** All containers have what they should. @returns whether that is news */
  done(uid: string): boolean {
    const known = this.#pods.get(uid);
    if (known?.status !== 'InProgress') return false;
    known.status = undefined;
    return true;
  }

  forget(uid: string): void {
    this.#pods.delete(uid);
  }

  async #write(uid: string, allocation: Allocation): Promise<void> {
    const file = this.#fileOf(uid);
    await mkdir(podDirectory(this.#options.rootDirectory, uid), { recursive: true, mode: 0o750 });
    await writeFile(`${file}.new`, JSON.stringify(allocation), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  #fileOf(uid: string): string {
    return `${podDirectory(this.#options.rootDirectory, uid)}/allocated-resources`;
  }
}

const newlySized = (pod: Pod): Sized => ({
  allocation: allocationOf(pod),
  status: undefined,
  applied: new Map(),
  isAdopted: false,
});
