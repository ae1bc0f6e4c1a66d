/**
 * A watch that goes on when its connection ends.
 *
 * 1. A connection yields the changes after a version, and bookmarks move that version on while nothing changes.
 * 2. A connection that ends in order (its time is over) is followed by another one from the version reached.
 * 3. So is one that breaks, and a server that is overloaded or away (429, 5xx), after a delay that grows.
 * 4. Everything else ends the watch with an error. 410: changes after the version are no longer known, and the caller
 *    lists again.
 */
import type { Clock } from '../../base/clock.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { JsonValue } from '../../machinery/value.ts';
import { pause } from '../../reconcile/pause.ts';
import { RetryDelay } from '../../reconcile/retry-delay.ts';
import { deadline } from '../deadline.ts';
import { initialEventsEnd } from '../initial-events.ts';
import type { PendingAnswer } from '../requests/sender.ts';
import { contentTypeOf, statusErrorFrom } from '../status-answer.ts';
import { ConnectionError } from '../transport/message.ts';
import type { WatchOptions } from './options.ts';
import type { QueryParameters } from './paths.ts';
import { type WatchDocument, watchFrames } from './watch-frames.ts';

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** After the change, or before a deletion; of a bookmark the metadata alone. */
  readonly object: T;
}

export interface WatchContext {
  readonly open: (parameters: QueryParameters, signal: AbortSignal) => Promise<PendingAnswer>;
  readonly clock: Clock;
  readonly random: () => number;
}

const retryLimits = { firstMs: 800, maxMs: 30_000, jitter: 1 };
const defaultMinWatchSeconds = 300;
/** How long the server may take to end a watch whose time is over. */
const graceMs = 30_000;
/** A connection that ends sooner without an event is a failure, even when nothing says so. */
const shortMs = 1000;

export async function* watchEvents<T extends KubeObject>(
  { open, clock, random }: WatchContext,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, void> {
  const {
    signal = new AbortController().signal,
    minWatchSeconds = defaultMinWatchSeconds,
    labelSelector,
    fieldSelector,
  } = options;
  const retry = new RetryDelay(retryLimits, random);
  const state: Progress = { version: options.resourceVersion ?? '', isInitial: options.sendInitialEvents === true };
  for (;;) {
    signal.throwIfAborted();
    const seconds = Math.ceil(minWatchSeconds * (1 + random()));
    const limited = deadline(clock, seconds * 1000 + graceMs, signal, 'the server did not end a watch');
    const begun = clock.now();
    let failure: unknown;
    let count = 0;
    try {
      const parameters = {
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: seconds,
        labelSelector,
        fieldSelector,
      };
      const answer = await open({ ...parameters, ...startOf(state) }, limited.signal);
      try {
        for await (const event of eventsIn<T>(answer, state)) {
          count++;
          if (isWanted(event, options)) yield event;
        }
      } finally {
        answer.end();
      }
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
      // A version that lies in between: what came so far is not all that was there.
      if (!(isTransient(error) || limited.signal.aborted) || (state.isInitial && count > 0)) throw error;
    } finally {
      limited.end();
    }
    const progressed = count > 0 || clock.now() - begun >= shortMs;
    if (progressed) retry.reset();
    if (failure !== undefined || !progressed) await pause(clock, retry.next(failure), signal);
  }
}

interface Progress {
  /** All changes up to there were yielded. */
  version: string;
  /** What existed at the beginning has not come whole. */
  isInitial: boolean;
}

const startOf = ({ version, isInitial }: Progress): QueryParameters =>
  isInitial
    ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: version }
    : { resourceVersion: version };

async function* eventsIn<T extends KubeObject>(
  answer: PendingAnswer,
  state: Progress,
): AsyncGenerator<WatchEvent<T>, void, void> {
  answer.release();
  const frames = watchFrames(contentTypeOf(answer));
  for await (const chunk of answer.body)
    for (const document of frames.push(chunk)) {
      const event = eventOf<T>(document);
      if (isInitialEnd(event)) state.isInitial = false;
      const version = event.object.metadata?.resourceVersion;
      if (!state.isInitial && version !== undefined && version !== '') state.version = version;
      yield event;
    }
}

function eventOf<T extends KubeObject>({ type, object }: WatchDocument): WatchEvent<T> {
  if (type === 'ERROR') throw statusErrorFrom(object as JsonValue, 500);
  return { type: type as WatchEvent<T>['type'], object: object as T };
}

const isInitialEnd = ({ type, object }: WatchEvent<KubeObject>): boolean =>
  type === 'BOOKMARK' && object.metadata?.annotations?.[initialEventsEnd] === 'true';

/** Without being asked for it, servers end what exists at the beginning by the same bookmark. */
const isWanted = (event: WatchEvent<KubeObject>, { bookmarks, sendInitialEvents }: WatchOptions): boolean =>
  event.type !== 'BOOKMARK' || bookmarks === true || (sendInitialEvents === true && isInitialEnd(event));

const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError || (isStatusError(error) && (error.code === 429 || error.code >= 500));
