/**
 * Which volumes are attached to which nodes, as far as this process knows. What was attached by an earlier process is
 * read from the status of nodes and from VolumeAttachments; later changes of those are looked at from time to time.
 */

export interface AttachedEntry {
  readonly name: string;
  readonly node: string;
  /** Attached for certain; else it is being attached or detached, or that has failed. */
  isAttached: boolean;
  /** Is to stand in the status of the node: its pods may use the volume. */
  isReported: boolean;
  devicePath: string;
  /** By the clock, since when no pod wants it. */
  unwantedSince?: number;
  /** By the clock, when its VolumeAttachment was deleted. */
  detachingSince?: number;
  /** By the clock, since when its driver is waited for. */
  attachingSince?: number;
  /** How often attaching or detaching has failed in a row, and when it is tried again. */
  failures: number;
  retryAt: number;
}

const firstRetryMs = 500;
/** As upstream. */
const longestRetryMs = 122_000;

export class AttachedVolumes {
  readonly #byNode = new Map<string, Map<string, AttachedEntry>>();
  readonly #nodes = new Map<string, Set<string>>();

  get(node: string, name: string): AttachedEntry | undefined {
    return this.#byNode.get(node)?.get(name);
  }

  /** What is there already stays as it is. */
  add(node: string, name: string, isAttached = false, devicePath = ''): AttachedEntry {
    const known = this.get(node, name);
    if (known !== undefined) return known;
    const entry = { name, node, isAttached, isReported: isAttached, devicePath, failures: 0, retryAt: 0 };
    const ofNode = this.#byNode.get(node) ?? new Map<string, AttachedEntry>();
    this.#byNode.set(node, ofNode.set(name, entry));
    this.#nodes.set(name, (this.#nodes.get(name) ?? new Set()).add(node));
    return entry;
  }

  remove({ node, name }: AttachedEntry): void {
    const ofNode = this.#byNode.get(node);
    ofNode?.delete(name);
    if (ofNode?.size === 0) this.#byNode.delete(node);
    const nodes = this.#nodes.get(name);
    nodes?.delete(node);
    if (nodes?.size === 0) this.#nodes.delete(name);
  }

  hasNode(node: string): boolean {
    return this.#byNode.has(node);
  }

  ofNode(node: string): readonly AttachedEntry[] {
    return [...(this.#byNode.get(node)?.values() ?? [])];
  }

  /** Entries of other nodes. */
  elsewhere(name: string, node: string): readonly AttachedEntry[] {
    return [...(this.#nodes.get(name) ?? [])].filter((other) => other !== node).map((other) => this.get(other, name)!);
  }

  *all(): Iterable<AttachedEntry> {
    for (const ofNode of this.#byNode.values()) yield* ofNode.values();
  }
}

/** The next try has to wait, each time for longer. */
export function delayRetry(entry: AttachedEntry, now: number): void {
  entry.retryAt = now + Math.min(longestRetryMs, firstRetryMs * 2 ** entry.failures);
  entry.failures++;
}

export function clearFailures(entry: AttachedEntry): void {
  entry.failures = 0;
  entry.retryAt = 0;
}
