/** Which pods a change of the cluster is worth another attempt for. */
import type { Plugin } from '../framework/plugin.ts';
import { asksFor, type ClusterEvent, type EventWithHint, everyAction } from '../framework/cluster-event.ts';
import { type SchedulerObserver, silentObserver } from '../framework/observer.ts';
import type { QueuedPod } from './queued-pod.ts';

/** When a pod is tried again. */
export type Requeue =
  /** Not because of this event. */
  'never' | 'afterBackoff' | 'atOnce';

interface Interest {
  readonly plugin: string;
  readonly wanted: EventWithHint;
}

/** Told of hints that throw. */
export type OnHintFailure = (plugin: string, error: unknown) => void;

/** A plugin that names no events is woken by all. */
const everything: readonly EventWithHint[] = [{ resource: '*', action: everyAction }];

export class QueueingHints {
  readonly #interests = new Map<string, readonly Interest[]>();
  readonly #byEvent = new Map<ClusterEvent, ReadonlySet<string>>();
  readonly #onFailure: OnHintFailure;
  readonly #observer: Pick<SchedulerObserver, 'hinted'>;

  /** @param profiles the plugins of each, by the name of its scheduler */
  constructor(
    profiles: ReadonlyMap<string, readonly Plugin[]>,
    onFailure: OnHintFailure,
    observer: Pick<SchedulerObserver, 'hinted'> = silentObserver,
  ) {
    this.#onFailure = onFailure;
    this.#observer = observer;
    for (const [profile, plugins] of profiles)
      this.#interests.set(
        profile,
        plugins.flatMap(({ name, events = everything }) => events.map((wanted) => ({ plugin: name, wanted }))),
      );
  }

  /** The plugins to which the event may matter, in any profile. */
  pluginsFor(event: ClusterEvent): ReadonlySet<string> {
    let plugins = this.#byEvent.get(event);
    if (plugins === undefined) {
      const interested = [...this.#interests.values()].flat().filter(({ wanted }) => asksFor(wanted, event));
      this.#byEvent.set(event, (plugins = new Set(interested.map(({ plugin }) => plugin))));
    }
    return plugins;
  }

  requeue(queued: QueuedPod, event: ClusterEvent, before: unknown, after: unknown): Requeue {
    if (!queued.hasRejectors || event.resource === '*') return 'afterBackoff';
    let requeue: Requeue = 'never';
    for (const { plugin, wanted } of this.#interests.get(queued.profile) ?? []) {
      const isPending = queued.pendingPlugins.has(plugin);
      if (!isPending && !queued.unschedulablePlugins.has(plugin)) continue;
      if (!asksFor(wanted, event)) continue;
      const begun = performance.now();
      const helps = this.#helps(plugin, wanted, queued, before, after);
      const hint = helps ? 'Queue' : 'QueueSkip';
      this.#observer.hinted(plugin, event.label, hint, (performance.now() - begun) / 1000);
      if (!helps) continue;
      if (isPending) return 'atOnce';
      requeue = 'afterBackoff';
    }
    return requeue;
  }

  #helps(plugin: string, { hint }: EventWithHint, { info }: QueuedPod, before: unknown, after: unknown): boolean {
    if (hint === undefined) return true;
    try {
      return hint(info.pod, before, after);
    } catch (error) {
      this.#onFailure(plugin, error);
      return true;
    }
  }
}
