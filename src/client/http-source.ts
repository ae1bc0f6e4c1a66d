/**
 * A collection of an API server as the source of an informer: a list in pages, and a watch with bookmarks, as JSON.
 *
 * Nothing waits without an end: each answer has a time limit, and a watch that does not end when its time is over is
 * given up, so that a silent connection does not hold an informer.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks |
 *   API Concepts: retrieving large result sets in chunks}
 */
import { type Clock, systemClock } from '../base/clock.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import { isStatusError, isTooLargeResourceVersion } from '../machinery/status.ts';
import type { ObjectView, Source, SourceListOptions, SourcePage, SourceWatchOptions } from '../reconcile/source.ts';
import { deadline } from './deadline.ts';
import type { HttpAnswer, HttpFetch } from './http-fetch.ts';
import { HttpWatch } from './http-watch.ts';
import { readText, statusErrorOf } from './status-answer.ts';

export interface HttpSourceOptions {
  readonly fetch: HttpFetch;
  /** Of the collection: `/api/v1/pods`, `/apis/apps/v1/namespaces/default/deployments`. */
  readonly path: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects in a page of a list. */
  readonly pageSize?: number;
  /** For a page of a list, and for a watch to begin. */
  readonly requestTimeoutMs?: number;
  /** A watch lasts at least so long, and at most twice as long. */
  readonly minWatchSeconds?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

interface ObjectList<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
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

const accept = { accept: 'application/json' };

export class HttpSource<T extends KubeObject = KubeObject> implements Source<T> {
  readonly resource: string;
  readonly view: ObjectView<T> = jsonView;
  readonly #options: HttpSourceOptions;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(options: HttpSourceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.resource = options.path.slice(options.path.lastIndexOf('/') + 1);
  }

  async *list({ notBefore, inPages, signal }: SourceListOptions): AsyncIterable<SourcePage<T>> {
    const limit = inPages ? String(this.#options.pageSize ?? defaultPageSize) : '';
    let page = await this.#firstPage(notBefore ?? anyVersion, limit, signal);
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
      const answer = await this.#options.fetch(path, { headers: accept, signal: abort.signal });
      if (answer.status !== 200) throw await statusErrorOf(answer);
      return new HttpWatch<T>({
        body: answer.body,
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
      const answer = await this.#options.fetch(this.#pathWith(parameters), { headers: accept, signal: limited.signal });
      if (answer.status !== 200) throw await statusErrorOf(answer);
      return await readList<T>(answer);
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

const jsonView: ObjectView<KubeObject> = {
  keyOf: ({ metadata }) => keyFor(metadata?.namespace ?? '', metadata?.name ?? ''),
  keyFor,
  namespaceOf: ({ metadata }) => metadata?.namespace ?? '',
  labelsOf: ({ metadata }) => metadata?.labels,
  versionOf: ({ metadata }) => metadata?.resourceVersion ?? '',
};

/** `namespace/name`, or the name alone: the form of keys in work queues. */
function keyFor(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Items of built-in types say nothing of their kind: the list does. */
function itemsOf<T extends KubeObject>({ kind = '', apiVersion, items }: ObjectList<T>): readonly T[] {
  const itemKind = kind.endsWith('List') ? kind.slice(0, -'List'.length) : undefined;
  for (const item of items ?? []) {
    if (itemKind !== undefined) item.kind ??= itemKind;
    if (apiVersion !== undefined) item.apiVersion ??= apiVersion;
  }
  return items ?? [];
}

const readList = async <T>(answer: HttpAnswer): Promise<ObjectList<T>> =>
  JSON.parse(await readText(answer)) as ObjectList<T>;

const isUnknownVersion = (error: unknown): boolean =>
  (isStatusError(error) && error.code === 410) || isTooLargeResourceVersion(error);
