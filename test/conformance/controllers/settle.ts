/** Waits until a cluster is quiet, as far as a case sees it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, Change } from './api.ts';
import { type RecordedEvent, eventLine } from './events.ts';
import { play } from './kubelet.ts';
import type { RecordedSettle } from './recording.ts';
import { placeOf } from './resources.ts';
import type { Watches } from './watches.ts';

const lookMs = 150;
const limitMs = 20_000;

/** A machine with much else to do makes pauses that look like quiet: longer ones are waited for then. */
export const patience = Number(process.env['ORCH_REPLAY_PATIENCE'] ?? 1);

/** The changes that belong to one case. */
export class Surroundings implements Disposable {
  readonly namespace: string;
  readonly #token: string;
  readonly #resources: ReadonlySet<string>;
  readonly #stop: () => void;
  readonly #changes = new Map<string, number>();
  /** Whether something changed since the last look. */
  #touched = false;
  #podsChanged = true;
  /** Events since the last snapshot. */
  #lines = new Set<string>();

  /** @param resources those that the case watches */
  constructor(watches: Watches, namespace: string, token: string, resources: ReadonlySet<string>) {
    this.namespace = namespace;
    this.#token = token;
    this.#resources = resources;
    this.#stop = watches.listen((resource, change) => this.#take(resource, change));
  }

  #take(resource: string, change: Change): void {
    const { namespace, name } = change.object.metadata;
    if (resource === 'events') return this.#takeEvent(change);
    const isOurs = placeOf(resource).namespaced ? namespace === this.namespace : name.includes(this.#token);
    // The kubelet's part is played for pods that the case does not show, too.
    if (isOurs && resource === 'pods') this.#podsChanged = true;
    if (!isOurs || !this.#resources.has(resource)) return;
    this.#touch(`${resource} ${name}`);
  }

  #takeEvent({ type, object }: Change): void {
    const event = object as unknown as RecordedEvent;
    const watchesCluster = [...this.#resources].some((resource) => !placeOf(resource).namespaced);
    const isOurs =
      object.metadata.namespace === this.namespace ||
      (watchesCluster &&
        object.metadata.namespace === 'default' &&
        (event.involvedObject.name ?? '').includes(this.#token));
    // One that is counted again, or combined with others, is not new.
    if (!isOurs || type !== 'ADDED') return;
    const line = eventLine(event);
    this.#lines.add(line);
    this.#touch('events');
  }

  #touch(what: string): void {
    this.#touched = true;
    this.#changes.set(what, (this.#changes.get(what) ?? 0) + 1);
  }

  /** Lines of events that are new since the last call. */
  takeLines(): string[] {
    const lines = [...this.#lines];
    this.#lines = new Set();
    return lines;
  }

  /** What kept changing when it did not become quiet; undefined when it did. */
  async settle(api: Api, { play: steps = [], quiet = 1 }: RecordedSettle): Promise<string | undefined> {
    this.#touched = false;
    this.#podsChanged = true;
    this.#changes.clear();
    let quietMs = 0;
    let last = performance.now();
    const end = last + limitMs * patience;
    for (;;) {
      if (this.#podsChanged && steps.length > 0) {
        this.#podsChanged = false;
        for (const step of steps) await play(api, this.namespace, step);
      }
      await sleep(lookMs);
      const now = performance.now();
      // While this process did not run, its controllers did not either: that was no quiet.
      quietMs = this.#touched ? 0 : quietMs + Math.min(now - last, 2 * lookMs);
      this.#touched = false;
      last = now;
      if (quietMs >= quiet * patience * 1000) return undefined;
      if (now > end) return [...this.#changes].map(([what, times]) => `${what} (${times} times)`).join(', ');
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
