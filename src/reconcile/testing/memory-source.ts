/** A source whose objects, failures and gaps the test makes. */
import { serviceUnavailable } from '../../machinery/status.ts';
import { resourceExpired } from '../../machinery/resource-expired.ts';
import type {
  ObjectView,
  Source,
  SourceEvent,
  SourceListOptions,
  SourcePage,
  SourceWatch,
  SourceWatchOptions,
  WatchEnd,
} from '../source.ts';

export interface MemoryObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: string;
  readonly version: number;
}

interface Change {
  readonly version: number;
  readonly event: SourceEvent<MemoryObject>;
}

const keyFor = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`);

const view: ObjectView<MemoryObject> = {
  keyOf: ({ namespace, name }) => keyFor(namespace, name),
  keyFor,
  namespaceOf: ({ namespace }) => namespace,
  labelsOf: ({ labels }) => labels,
  versionOf: ({ version }) => version,
};

export class MemorySource implements Source<MemoryObject> {
  readonly resource = 'things';
  readonly view = view;
  givesObjectsAway = false;
  /** Lists and new watches fail. */
  isAway = false;
  /** Objects in a page of a list that may come in pages. */
  pageSize = Number.POSITIVE_INFINITY;
  /** Called before each page of a list but the first. */
  onPage: () => void = () => undefined;
  /** What all lists are, as of a server whose cache stands still. */
  cachedList: SourcePage<MemoryObject> | undefined;
  readonly lists: Omit<SourceListOptions, 'signal'>[] = [];
  readonly watchedAfter: string[] = [];
  readonly #objects = new Map<string, MemoryObject>();
  readonly #changes: Change[] = [];
  readonly #watches = new Set<MemoryWatch>();
  #version = 0;
  /** Changes up to there are forgotten. */
  #floor = 0;

  get objects(): ReadonlyMap<string, MemoryObject> {
    return this.#objects;
  }

  get version(): number {
    return this.#version;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  set(name: string, data = '', { namespace = '', labels = {} }: Partial<MemoryObject> = {}): MemoryObject {
    const object = { namespace, name, labels, data, version: ++this.#version };
    const key = view.keyOf(object);
    const type = this.#objects.has(key) ? 'MODIFIED' : 'ADDED';
    this.#objects.set(key, object);
    this.#emit({ type, object });
    return object;
  }

  remove(name: string, namespace = ''): void {
    const object = this.#objects.get(keyFor(namespace, name))!;
    this.#objects.delete(view.keyOf(object));
    this.#version++;
    this.#emit({ type: 'DELETED', object: { ...object, version: this.#version } });
  }

  /** What other resources do. */
  passTime(): void {
    this.#version++;
  }

  bookmark(): void {
    for (const watch of this.#watches) watch.push(this.#version, { type: 'BOOKMARK' });
  }

  /** A list as it is now. */
  page(): SourcePage<MemoryObject> {
    return { objects: [...this.#objects.values()], version: String(this.#version) };
  }

  /** Forgets all changes so far. */
  compact(): void {
    this.#floor = this.#version;
    this.#changes.length = 0;
  }

  endWatches(end: WatchEnd = { error: serviceUnavailable('the source is away') }): void {
    for (const watch of this.#watches) watch.end(end);
  }

  async *list({
    notBefore,
    isMostRecent = false,
    inPages,
  }: SourceListOptions): AsyncIterable<SourcePage<MemoryObject>> {
    this.lists.push({ notBefore, isMostRecent, inPages });
    await Promise.resolve();
    this.#checkContact();
    if (this.cachedList !== undefined) return yield this.cachedList;
    const version = this.#version;
    const objects = [...this.#objects.values()];
    const size = inPages ? this.pageSize : Number.POSITIVE_INFINITY;
    for (let from = 0; from === 0 || from < objects.length; from += size) {
      if (from > 0) {
        this.onPage();
        this.#checkContact();
        if (version < this.#floor) throw resourceExpired('The provided continue parameter is too old');
      }
      yield { objects: objects.slice(from, from + size), version: String(version) };
    }
  }

  async watch({ after, onReady }: SourceWatchOptions): Promise<SourceWatch<MemoryObject>> {
    await Promise.resolve();
    this.watchedAfter.push(after);
    this.#checkContact();
    if (Number(after) < this.#floor) throw resourceExpired('too old');
    const watch = new MemoryWatch(Number(after), onReady, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    for (const { version, event } of this.#changes) if (version > Number(after)) watch.push(version, event);
    return watch;
  }

  #emit(event: SourceEvent<MemoryObject>): void {
    this.#changes.push({ version: this.#version, event });
    for (const watch of [...this.#watches]) watch.push(this.#version, event);
  }

  #checkContact(): void {
    if (this.isAway) throw serviceUnavailable('the source is away');
  }
}

class MemoryWatch implements SourceWatch<MemoryObject> {
  readonly #onReady: () => void;
  readonly #onClose: () => void;
  #events: SourceEvent<MemoryObject>[] = [];
  #reached: number;
  #taken: number;
  ended: WatchEnd | undefined;

  constructor(after: number, onReady: () => void, onClose: () => void) {
    this.#reached = after;
    this.#taken = after;
    this.#onReady = onReady;
    this.#onClose = onClose;
  }

  push(version: number, event: SourceEvent<MemoryObject>): void {
    if (this.ended !== undefined) return;
    this.#events.push(event);
    this.#reached = version;
    this.#onReady();
  }

  end(end: WatchEnd): void {
    this.ended ??= end;
    this.#onReady();
  }

  take(): readonly SourceEvent<MemoryObject>[] {
    this.#taken = this.#reached;
    return this.#events.splice(0);
  }

  get version(): string {
    return String(this.#taken);
  }

  close(): void {
    this.#onClose();
  }
}
