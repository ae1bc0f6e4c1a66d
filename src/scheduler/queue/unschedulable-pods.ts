/** Pods that wait for a change of the cluster, found by the plugins that refused them. */
import type { QueuedPod } from './queued-pod.ts';

export class UnschedulablePods {
  readonly #pods = new Map<string, QueuedPod>();
  readonly #byPlugin = new Map<string, Map<string, QueuedPod>>();
  #gated = 0;

  get size(): number {
    return this.#pods.size;
  }

  get gatedCount(): number {
    return this.#gated;
  }

  get(uid: string): QueuedPod | undefined {
    return this.#pods.get(uid);
  }

  values(): Iterable<QueuedPod> {
    return this.#pods.values();
  }

  /** Its rejectors must not change while it is here. */
  add(queued: QueuedPod): void {
    this.#pods.set(queued.uid, queued);
    if (queued.isGated) this.#gated++;
    for (const plugin of queued.rejectors()) {
      let pods = this.#byPlugin.get(plugin);
      if (pods === undefined) this.#byPlugin.set(plugin, (pods = new Map()));
      pods.set(queued.uid, queued);
    }
  }

  delete(uid: string): QueuedPod | undefined {
    const queued = this.#pods.get(uid);
    if (queued === undefined) return undefined;
    this.#pods.delete(uid);
    if (queued.isGated) this.#gated--;
    for (const plugin of queued.rejectors()) {
      const pods = this.#byPlugin.get(plugin);
      pods?.delete(uid);
      if (pods?.size === 0) this.#byPlugin.delete(plugin);
    }
    return queued;
  }

  /** The pods that one of the plugins refused, each once. */
  rejectedBy(plugins: ReadonlySet<string>): QueuedPod[] {
    // Mostly no pod waits, and changes are many.
    if (this.#byPlugin.size === 0) return [];
    const found = new Set<QueuedPod>();
    for (const plugin of plugins) for (const queued of this.#byPlugin.get(plugin)?.values() ?? []) found.add(queued);
    return [...found];
  }

  /** How many pods each plugin refused, per profile. */
  *countsByPlugin(): Iterable<{ readonly plugin: string; readonly profile: string; readonly count: number }> {
    for (const [plugin, pods] of this.#byPlugin) {
      const counts = new Map<string, number>();
      for (const { profile } of pods.values()) counts.set(profile, (counts.get(profile) ?? 0) + 1);
      for (const [profile, count] of counts) yield { plugin, profile, count };
    }
  }
}
