/**
 * A collection of an API server as the source of an informer: a list in pages, and a watch with bookmarks.
 *
 * Nothing waits without an end: each answer has a time limit, and a watch that does not end when its time is over is
 * given up, so that a silent connection does not hold an informer.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks |
 *   API Concepts: retrieving large result sets in chunks}
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { isResourceExpired } from '../machinery/resource-expired.ts';
import type { PartialReader } from '../machinery/codec/index.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import { isTooLargeResourceVersion } from '../machinery/status.ts';
import type { ObjectView, Source, SourceListOptions, SourcePage, SourceWatchOptions } from '../reconcile/source.ts';
import { deadline } from './deadline.ts';
import type { HttpFetch } from './http-fetch.ts';
import { HttpWatch } from './http-watch.ts';
import { objectView } from './object-view.ts';
import { json } from './resources/object-codec.ts';
import { itemsOf, type ObjectList } from './resources/object-list.ts';
import { readInitialEvents } from './initial-events.ts';
import { contentTypeOf, readObjectAnswer, statusErrorOf } from './status-answer.ts';

export interface HttpSourceOptions {
  readonly fetch: HttpFetch;
  /** Of the collection: `/api/v1/pods`, `/apis/apps/v1/namespaces/default/deployments`. */
  readonly path: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Media types that are asked for; JSON when absent. */
  readonly accept?: string;
  /** The same for a watch. */
  readonly acceptOfWatch?: string;
  /** Lists come by a stream (KEP-3157) where the server does that: it costs the server less memory. */
  readonly streamLists?: boolean;
  /** Objects come without managed fields: only few readers want them, and they are a large part of many objects. */
  readonly dropManagedFields?: boolean;
  /** Objects come without the fields that this leaves out. */
  readonly partial?: PartialReader | undefined;
  /** Objects in a page of a list. */
  readonly pageSize?: number;
  /** For a page of a list, and for a watch to begin. */
  readonly requestTimeoutMs?: number;
  /** A watch lasts at least so long, and at most twice as long. */
  readonly minWatchSeconds?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** client-go's values. */
const defaultPageSize = 500;
const defaultRequestTimeoutMs = 60_000;
const defaultMinWatchSeconds = 300;
/** How long the server may take to end a watch whose time is over. */
const watchGraceMs = 30_000;
/** Any version, from the server's cache. */
const anyVersion = '0';
/** The most recent version, by a consistent read. */
const mostRecent = '';

export class HttpSource<T extends KubeObject = KubeObject> implements Source<T> {
  readonly resource: string;
  readonly view: ObjectView<T> = objectView;
  readonly givesObjectsAway = true;
  readonly #options: HttpSourceOptions;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(options: HttpSourceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.resource = options.path.slice(options.path.lastIndexOf('/') + 1);
  }

  async *list({ notBefore, isMostRecent, inPages, signal }: SourceListOptions): AsyncIterable<SourcePage<T>> {
    const limit = inPages ? String(this.#options.pageSize ?? defaultPageSize) : '';
    const wanted = isMostRecent === true ? mostRecent : (notBefore ?? anyVersion);
    if (this.#options.streamLists === true) {
      const streamed = await this.#streamed(wanted, signal);
      if (streamed !== undefined) return yield streamed;
    }
    let page = await this.#firstPage(wanted, limit, signal);
    for (;;) {
      const { resourceVersion: version = '', continue: next = '' } = page.metadata ?? {};
      yield { objects: itemsOf(page), version };
      if (next === '') return;
      page = await this.#page({ limit, continue: next }, signal);
    }
  }

  async watch({ after, signal, onReady }: SourceWatchOptions): Promise<HttpWatch<T>> {
    const { minWatchSeconds = defaultMinWatchSeconds } = this.#options;
    const seconds = Math.ceil(minWatchSeconds * (1 + this.#random()));
    const path = this.#pathWith({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: after,
      timeoutSeconds: String(seconds),
    });
    const abort = new AbortController();
    const beginning = deadline(this.#clock, this.#requestTimeoutMs, signal);
    const giveUp = (): void => abort.abort(beginning.signal.reason);
    if (beginning.signal.aborted) giveUp();
    beginning.signal.addEventListener('abort', giveUp);
    try {
      const headers = { accept: this.#options.acceptOfWatch ?? json };
      const answer = await this.#options.fetch(path, { headers, signal: abort.signal });
      if (answer.status !== 200) throw await statusErrorOf(answer);
      return new HttpWatch<T>({
        body: answer.body,
        contentType: contentTypeOf(answer),
        decode: this.#options,
        after,
        abort,
        onReady,
        lastsMs: seconds * 1000 + watchGraceMs,
        clock: this.#clock,
      });
    } finally {
      beginning.signal.removeEventListener('abort', giveUp);
      beginning.end();
    }
  }

  /** Undefined where the server does not stream lists. */
  async #streamed(version: string, signal: AbortSignal): Promise<SourcePage<T> | undefined> {
    const path = this.#pathWith({
      watch: 'true',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: version,
    });
    const limited = deadline(this.#clock, this.#requestTimeoutMs, signal);
    try {
      const headers = { accept: this.#options.acceptOfWatch ?? json };
      const answer = await this.#options.fetch(path, { headers, signal: limited.signal });
      if (answer.status === 200) return await readInitialEvents<T>(answer, this.#options);
      const error = await statusErrorOf(answer);
      if (error.code === 400 || error.code === 422) return undefined;
      throw error;
    } catch (error) {
      throw limited.signal.aborted ? limited.signal.reason : error;
    } finally {
      limited.end();
    }
  }

  get #requestTimeoutMs(): number {
    return this.#options.requestTimeoutMs ?? defaultRequestTimeoutMs;
  }

  /** A version that is no longer known, or not yet, is no reason to have no list. */
  async #firstPage(version: string, limit: string, signal: AbortSignal): Promise<ObjectList<T>> {
    try {
      return await this.#page({ limit, resourceVersion: version }, signal);
    } catch (error) {
      if (version === mostRecent || !isUnknownVersion(error)) throw error;
      return this.#page({ limit, resourceVersion: mostRecent }, signal);
    }
  }

  async #page(parameters: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ObjectList<T>> {
    const limited = deadline(this.#clock, this.#requestTimeoutMs, signal);
    try {
      const headers = { accept: this.#options.accept ?? json };
      const answer = await this.#options.fetch(this.#pathWith(parameters), { headers, signal: limited.signal });
      if (answer.status !== 200) throw await statusErrorOf(answer);
      return (await readObjectAnswer(answer, this.#options)) as ObjectList<T>;
    } catch (error) {
      throw limited.signal.aborted ? limited.signal.reason : error;
    } finally {
      limited.end();
    }
  }

  #pathWith(parameters: Readonly<Record<string, string>>): string {
    const { path, labelSelector = '', fieldSelector = '' } = this.#options;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...parameters, labelSelector, fieldSelector }))
      if (value !== '') query.set(name, value);
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  }
}

const isUnknownVersion = (error: unknown): boolean => isResourceExpired(error) || isTooLargeResourceVersion(error);
