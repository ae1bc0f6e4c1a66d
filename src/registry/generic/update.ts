/**
 * Read, change, compare and swap: the one function behind update, patch, apply, delete and every subresource that
 * writes the same object.
 *
 * It starts from the version at hand (the cache's), because a guarded write that succeeds proves that it was current.
 * What cannot be proved that way is confirmed on a fresh read before it is answered: a refusal (404, 409, 422,
 * admission, precondition), and a change that changes nothing.
 */
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { modified, notFound } from '../../machinery/status.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { toStatusError } from './store-error-answers.ts';
import { guardOptions, writeGuarded } from './guarded-write.ts';
import { settled } from './pending.ts';
import type { ResourceStore } from './resource-store.ts';
import { type BegunWrite, nothingBegun, outcomeOfFailure, type WriteOutcome, type WriteRequest } from './write.ts';

/** What a change wants: write this, remove the object, or leave everything. */
export type Change =
  | { readonly action: 'write'; readonly object: KubeObject; readonly begun?: BegunWrite }
  /** `object` is its last state; absent where that is what is stored, or it is not returned to a client. */
  | { readonly action: 'remove'; readonly object?: KubeObject }
  | { readonly action: 'keep'; readonly object: KubeObject };

/**
 * Computes the change from the object as it is; undefined when there is none. Runs again after a conflict, so it
 * must not change anything but what it is given (`current` is the caller's own copy).
 */
export type ComputeChange = (
  current: KubeObject | undefined,
  stored: StoredObject | undefined,
  /** Whether the object was read for this attempt, and is no older than any write acknowledged before it. */
  fresh: boolean,
) => Promise<Change>;

/** Thrown by what computes a change from an object that is not fresh: it is asked again with one that is. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';

  constructor() {
    super('the change needs the object as it is now');
  }
}

export interface SwapResult {
  readonly action: 'created' | 'written' | 'unchanged' | 'removed';
  /** The object after the change; for `removed`, its last state, with the revision before its removal. */
  readonly stored: StoredObject;
  /** Revision of the removal. DELETE answers with it, an update that removes does not. */
  readonly removedAt?: number;
}

/**
 * A writer that loses every race gives up instead of spinning; upstream retries without end within the request's time.
 */
const maxAttempts = 100;

export async function readModifyWrite(
  store: ResourceStore,
  key: string,
  compute: ComputeChange,
  request: WriteRequest,
): Promise<SwapResult> {
  let stored = await read(store, key, 'any', request);
  let fresh = false;
  const takeWarningsBack = request.beginWarnings?.();
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const outcome = await attemptOnce(store, key, stored, fresh, compute, request);
    if ('result' in outcome) return outcome.result;
    stored = outcome.current;
    fresh = true;
    takeWarningsBack?.();
  }
  throw modified(store.groupResource, request.name);
}

type Outcome = { readonly result: SwapResult } | { readonly current: StoredObject | undefined };

async function attemptOnce(
  store: ResourceStore,
  key: string,
  stored: StoredObject | undefined,
  fresh: boolean,
  compute: ComputeChange,
  request: WriteRequest,
): Promise<Outcome> {
  let change: Change;
  try {
    change = await compute(stored === undefined ? undefined : await settled(() => store.decode(stored)), stored, fresh);
  } catch (refusal) {
    if (fresh) throw refusal;
    const current = await read(store, key, 'mostRecent', request);
    if (current?.revision === stored?.revision && !(refusal instanceof StaleRead)) throw refusal;
    return { current };
  }
  if (change.action === 'remove') return remove(store, key, stored, change.object, request);
  const { object } = change;
  const bytes = await settled(() => store.encode(object));
  if (change.action === 'keep') return unchanged(store, key, stored, fresh, change, request);
  // Nothing changes; but a value that is encrypted with a key of yesterday is written anew.
  if (
    stored !== undefined &&
    bytes.equals(stored.bytes) &&
    (request.dryRun || !(await isStale(store, stored, request)))
  )
    return unchanged(store, key, stored, fresh, change, request);
  return swap(store, key, stored, bytes, change, request);
}

async function unchanged(
  store: ResourceStore,
  key: string,
  stored: StoredObject | undefined,
  fresh: boolean,
  change: Change,
  request: WriteRequest,
): Promise<Outcome> {
  const begun = change.action === 'write' ? change.begun : undefined;
  const current = fresh ? stored : await read(store, key, 'mostRecent', request);
  const confirmed = current?.revision === stored?.revision;
  await begun?.finish(confirmed ? 'applied' : 'refused', stored?.revision ?? 0);
  if (!confirmed) return { current };
  if (stored === undefined) throw notFound(store.groupResource, request.name);
  return { result: { action: 'unchanged', stored } };
}

async function swap(
  store: ResourceStore,
  key: string,
  stored: StoredObject | undefined,
  bytes: Buffer,
  change: Change & { action: 'write' },
  request: WriteRequest,
): Promise<Outcome> {
  const action = stored === undefined ? 'created' : 'written';
  const { begun = nothingBegun } = change;
  const expected = stored?.revision ?? 0;
  let outcome = 'refused' as WriteOutcome;
  let written = 0;
  try {
    if (request.dryRun) {
      const current = await read(store, key, 'mostRecent', request);
      if ((current?.revision ?? 0) !== expected) return { current };
      const base =
        stored === undefined
          ? await settled(() => store.unstored(change.object))
          : { ...stored, bytes, representations: undefined };
      return { result: { action, stored: base } };
    }
    const lease = await store.lease?.(request.context.now);
    const options = {
      ...(lease === undefined ? {} : { lease }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    };
    const result = await writeGuarded(begun, async (guards) => {
      outcome = 'unknown';
      const answer = await store.storage.update(key, bytes, expected, { ...options, ...guardOptions(guards) });
      outcome = answer.applied ? 'applied' : 'refused';
      const guardFailed = !answer.applied && guards.length > 0 && (answer.current?.revision ?? 0) === expected;
      return guardFailed ? undefined : answer;
    });
    // What the change rested on was lost: it is computed anew, on what is there as before.
    if (result === undefined) return { current: stored };
    if (!result.applied) return { current: result.current };
    written = result.object.revision;
    return { result: { action, stored: result.object } };
  } catch (error) {
    const status = toStatusError(error, 'update', store.groupResource, metaOf(change.object).name ?? '');
    if (outcome === 'unknown') outcome = outcomeOfFailure(status);
    throw status;
  } finally {
    await begun.finish(outcome, written);
  }
}

/**
 * Removes what a write has just left, whatever others make of it in between; undefined when they removed it, even where
 * another object of that name is there by now.
 */
export async function removeWritten(
  store: ResourceStore,
  written: StoredObject,
  uid: string,
  request: WriteRequest,
): Promise<SwapResult | undefined> {
  let stored: StoredObject | undefined = written;
  for (let attempt = 0; attempt < maxAttempts && stored !== undefined; attempt++) {
    const outcome = await remove(store, written.key, stored, undefined, request);
    if ('result' in outcome) return outcome.result;
    stored = outcome.current;
    if (stored !== undefined && (metaOf(store.decode(stored)).uid ?? '') !== uid) return undefined;
  }
  if (stored !== undefined) throw modified(store.groupResource, request.name);
  return undefined;
}

async function remove(
  store: ResourceStore,
  key: string,
  stored: StoredObject | undefined,
  object: KubeObject | undefined,
  request: WriteRequest,
): Promise<Outcome> {
  if (stored === undefined) throw notFound(store.groupResource, request.name);
  try {
    // An update may remove the last finalizer and the object with it: the last state is not what was stored then.
    const last =
      object === undefined
        ? stored
        : { ...stored, bytes: await settled(() => store.encode(object)), representations: undefined };
    if (request.dryRun) return { result: { action: 'removed', stored: last } };
    const result = await store.storage.delete(
      key,
      stored.revision,
      request.signal === undefined ? {} : { signal: request.signal },
    );
    if (!result.applied) return { current: result.current };
    if (store.hooks.afterDelete !== undefined)
      await store.hooks.afterDelete(store.decode(stored), { revision: result.revision });
    return {
      result: { action: 'removed', stored: { ...last, revision: stored.revision }, removedAt: result.revision },
    };
  } catch (error) {
    throw toStatusError(error, 'delete', store.groupResource, request.name);
  }
}

async function isStale(store: ResourceStore, stored: StoredObject, request: WriteRequest): Promise<boolean> {
  try {
    return await store.storage.isStale(stored, request.signal);
  } catch (error) {
    throw toStatusError(error, 'get', store.groupResource, request.name);
  }
}

async function read(
  store: ResourceStore,
  key: string,
  match: 'any' | 'mostRecent',
  request: WriteRequest,
): Promise<StoredObject | undefined> {
  try {
    return await store.storage.get(key, { match }, request.signal);
  } catch (error) {
    throw toStatusError(error, 'get', store.groupResource, request.name);
  }
}
