/** Follows the objects of one resource from the state on: for parts of the server that keep a view of their own. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectEvent, ObjectWatch, StoredObject } from '../storage/objects.ts';
import type { ResourceStore } from './generic/resource-store.ts';

export interface FollowOptions {
  readonly store: ResourceStore;
  /** Every object there is. Called again after a gap: what is not among them is gone. */
  readonly onState: (objects: readonly StoredObject[]) => void;
  readonly onEvent: (event: ObjectEvent) => void;
  /** The store did not answer, or ended the watch; it is tried again in a moment. */
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

const retryMs = 1000;

/** Resolves when the signal aborts; never rejects. */
export async function follow(options: FollowOptions): Promise<void> {
  const { signal } = options;
  while (!signal.aborted) {
    try {
      await followOnce(options);
    } catch (error) {
      if (signal.aborted) return;
      options.onFailure(error);
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

async function followOnce({ store, onState, onEvent, signal }: FollowOptions): Promise<void> {
  const { objects, revision } = await store.list({ version: { match: 'mostRecent' }, signal });
  let wake: () => void = () => undefined;
  const stop = (): void => wake();
  const watch = await store.watch({ after: revision, signal, onReady: () => wake() });
  signal.addEventListener('abort', stop);
  try {
    onState(objects);
    while (!signal.aborted) {
      const ready = new Promise<void>((resolve) => (wake = resolve));
      if (takeAll(watch, onEvent) > 0) continue;
      if (watch.ended !== undefined) throw watch.ended;
      await ready;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    watch.close();
  }
}

function takeAll(watch: ObjectWatch, onEvent: (event: ObjectEvent) => void): number {
  const events = watch.take();
  for (const event of events) onEvent(event);
  return events.length;
}
