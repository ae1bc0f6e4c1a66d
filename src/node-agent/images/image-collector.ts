/**
 * Removes images that no container uses: those that are too old, and the longest unused ones when the disk is full.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/garbage-collection/#containers-images | Garbage
 *   collection of unused containers and images}
 */
import type { ImageObserver } from '../metrics/image-metrics.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { Image } from '../runtime/gen/cri.ts';

export interface ImageLimits {
  /** Percentages of the file system of images. At 100 nothing is removed for the sake of the disk. */
  readonly highPercent: number;
  readonly lowPercent: number;
  readonly minAgeMs: number;
  /** 0: no limit. */
  readonly maxAgeMs: number;
}

export interface DiskUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

export interface ImageCollectorOptions {
  readonly runtime: Pick<ContainerRuntime, 'listImages' | 'removeImage' | 'listContainers'>;
  readonly limits: ImageLimits;
  /** Of the file system of images. */
  readonly diskUsage: () => Promise<DiskUsage>;
  readonly nowMs: () => number;
  /** Of sandboxes. */
  readonly sandboxImages: () => readonly string[];
  readonly event: (reason: string, message: string) => void;
  readonly observer?: Pick<ImageObserver, 'removed'> | undefined;
}

interface Known {
  readonly firstSeenMs: number;
  lastUsedMs: number;
}

export class ImageCollector {
  readonly #options: ImageCollectorOptions;
  readonly #known = new Map<string, Known>();
  #failures = 0;

  constructor(options: ImageCollectorOptions) {
    this.#options = options;
  }

  /** Once. A failure is an event from the second one in a row on. */
  async collect(): Promise<void> {
    const { event } = this.#options;
    try {
      await this.#collect();
      this.#failures = 0;
    } catch (error) {
      if (++this.#failures > 1) event('ImageGCFailed', (error as Error).message);
      throw error;
    }
  }

  /** All that nothing uses, because the disk is full. @returns bytes that were freed */
  async removeUnused(): Promise<number> {
    return this.#free(await this.#unused(), 'space');
  }

  async #collect(): Promise<void> {
    const { limits, diskUsage, nowMs, event } = this.#options;
    let unused = await this.#unused();
    if (limits.maxAgeMs > 0) {
      const old = unused.filter(({ id = '' }) => nowMs() - this.#known.get(id)!.lastUsedMs > limits.maxAgeMs);
      await this.#free(old, 'age');
      unused = unused.filter((image) => !old.includes(image));
    }
    const { capacityBytes, availableBytes } = await diskUsage();
    if (capacityBytes === 0) {
      const message = 'invalid capacity 0 on image filesystem';
      event('InvalidDiskCapacity', message);
      throw new Error(message);
    }
    const usedPercent = 100 - Math.floor((availableBytes * 100) / capacityBytes);
    if (limits.highPercent >= 100 || usedPercent < limits.highPercent) return;
    const wanted = Math.floor((capacityBytes * (100 - limits.lowPercent)) / 100) - availableBytes;
    const freed = await this.#free(unused, 'space', { wantedBytes: wanted, minAgeMs: limits.minAgeMs });
    if (freed >= wanted) return;
    const message =
      `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, ` +
      `but only found ${freed} bytes eligible to free.`;
    event('FreeDiskSpaceFailed', message);
    throw new Error(message);
  }

  /** The longest unused first; of those the one that came first. */
  async #unused(): Promise<readonly Image[]> {
    const { runtime, nowMs, sandboxImages } = this.#options;
    const [{ images = [] }, { containers = [] }] = await Promise.all([
      runtime.listImages({}),
      runtime.listContainers({}),
    ]);
    const inUse = new Set(
      containers.flatMap(({ imageRef = '', imageId = '', image }) => [imageRef, imageId, image?.image]),
    );
    const sandboxes = new Set(sandboxImages());
    const now = nowMs();
    const isUsed = ({ id = '', repoTags = [], repoDigests = [], pinned = false }: Image): boolean =>
      pinned || [id, ...repoTags, ...repoDigests].some((name) => sandboxes.has(name) || inUse.has(name));
    const ids = new Set(images.map(({ id = '' }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    for (const image of images) {
      const { id = '' } = image;
      const known = this.#known.get(id) ?? { firstSeenMs: now, lastUsedMs: now };
      if (isUsed(image)) known.lastUsedMs = now;
      this.#known.set(id, known);
    }
    const of = ({ id = '' }: Image): Known => this.#known.get(id)!;
    return images
      .filter((image) => !isUsed(image))
      .sort((a, b) => of(a).lastUsedMs - of(b).lastUsedMs || of(a).firstSeenMs - of(b).firstSeenMs);
  }

  /** @returns bytes that were freed */
  async #free(
    images: readonly Image[],
    reason: 'age' | 'space',
    { wantedBytes = Infinity, minAgeMs = 0 } = {},
  ): Promise<number> {
    const { runtime, nowMs, observer } = this.#options;
    let freed = 0;
    for (const image of images) {
      if (freed >= wantedBytes) break;
      const { id = '', size = 0 } = image;
      if (nowMs() - this.#known.get(id)!.firstSeenMs < minAgeMs) continue;
      await runtime.removeImage({ image: { image: id } });
      this.#known.delete(id);
      freed += Number(size);
      observer?.removed(reason);
    }
    return freed;
  }
}
