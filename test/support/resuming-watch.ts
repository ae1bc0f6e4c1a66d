/** A watch that goes on where it was when it ends, keeps every event, and notices every gap. */
import { type ApiClient, versionOf, type WatchEvent, type WatchStream } from './api-client.ts';

export class ResumingWatch {
  /** All events in the order in which they came. */
  readonly events: WatchEvent[] = [];
  /** How often it had to come back. */
  resumed = 0;
  /** Set when the server said that it has forgotten what comes next. */
  expired = false;
  readonly #client: () => ApiClient;
  readonly #collection: string;
  #version: number;
  #stream: WatchStream | undefined;
  #stopped = false;
  readonly #done: Promise<void>;

  constructor(client: () => ApiClient, collection: string, version: number) {
    this.#client = client;
    this.#collection = collection;
    this.#version = version;
    this.#done = this.#run();
  }

  /**
   * Everything up to this version has come. Bookmarks are not asked for: the last event must be of that version or
   * later.
   */
  async until(version: number): Promise<void> {
    while (this.#version < version) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stream?.close();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        const stream = await this.#client().watch(`${this.#collection}?watch=true&resourceVersion=${this.#version}`);
        this.#stream = stream;
        let taken = 0;
        const take = (): void => {
          for (const event of stream.events.slice(taken)) this.#take(event);
          taken = stream.events.length;
        };
        await stream
          .until(() => {
            take();
            return this.#stopped;
          })
          .catch(() => undefined);
        take();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      this.resumed++;
    }
  }

  #take(event: WatchEvent): void {
    if (event.type === 'ERROR') {
      this.expired ||= (event.object as { code?: number }).code === 410;
      return;
    }
    this.events.push(event);
    this.#version = Math.max(this.#version, versionOf(event));
  }
}

/** The objects after the events, by name; throws for an event that is impossible after the one before. */
export function replayed(events: readonly WatchEvent[]): Map<string, number> {
  const objects = new Map<string, number>();
  let last = 0;
  for (const event of events) {
    const name = event.object.metadata!.name!;
    const version = versionOf(event);
    if (version <= last) throw new Error(`${event.type} of ${name} at ${version} came after ${last}`);
    last = version;
    if ((event.type === 'ADDED') === objects.has(name))
      throw new Error(
        `${event.type} of ${name} at ${version}, which ${objects.has(name) ? 'was there' : 'was not there'}`,
      );
    if (event.type === 'DELETED') objects.delete(name);
    else objects.set(name, version);
  }
  return objects;
}
