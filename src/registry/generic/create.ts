import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { alreadyExists, isStatusError, plainError, serverTimeout, StatusError } from '../../machinery/status.ts';
import { isStorageError } from '../../storage/storage-error.ts';
import type { WriteGuard } from '../../storage/interface.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { runCooperatively } from '../../machinery/cooperative-scheduling.ts';
import { ensureNamespace, fillSystemFields, nameFromPrefix, prepareForCreate } from './before-create.ts';
import { toStatusError } from './store-error-answers.ts';
import { guardOptions, writeGuarded } from './guarded-write.ts';
import { settled } from './pending.ts';
import type { ResourceStore } from './resource-store.ts';
import { nothingBegun, outcomeOfFailure, type WriteOutcome, type WriteRequest, type WriteResult } from './write.ts';

/**
 * How often a clash of a generated name is answered with another name. @see {@link https://kep.k8s.io/4420 | KEP-4420}
 */
const generatedNameAttempts = 8;
/** How often a write begins anew because what it rested on was lost before it came to the store. */
const lostAttempts = 100;

export interface CreateSteps {
  /** Mutating admission and field ownership; before the strategy sees the object. */
  readonly admit: (object: KubeObject) => Promise<void>;
  /** Validating admission; sees the final object. */
  readonly validate: (object: KubeObject) => Promise<void>;
}

/** Creates one object. Throws 409 AlreadyExists, 422 Invalid, or what admission says; nothing is left behind then. */
export async function createObject(
  store: ResourceStore,
  submitted: KubeObject,
  steps: CreateSteps,
  request: WriteRequest,
): Promise<WriteResult> {
  rejectResourceVersion(submitted);
  const generated = isNameGenerated(submitted);
  await steps.admit(submitted);
  // Admission may have changed anything.
  rejectResourceVersion(submitted);
  ensureNamespace(submitted, request.namespace);
  for (let attempt = 1; ; attempt++) {
    try {
      return { stored: await createUnlost(store, submitted, steps, request), created: true };
    } catch (error) {
      if (!generated || !isAlreadyExists(error) || attempt >= generatedNameAttempts) throw error;
      delete metaOf(submitted).name;
    }
  }
}

async function createUnlost(
  store: ResourceStore,
  object: KubeObject,
  steps: CreateSteps,
  request: WriteRequest,
): Promise<StoredObject> {
  for (let attempt = 1; attempt <= lostAttempts; attempt++) {
    const stored = await createOnce(store, object, steps, request);
    if (stored !== undefined) return stored;
  }
  throw serverTimeout(store.groupResource, 'create', 1);
}

/** Undefined when what the write rested on was lost. */
async function createOnce(
  store: ResourceStore,
  object: KubeObject,
  steps: CreateSteps,
  request: WriteRequest,
): Promise<StoredObject | undefined> {
  fillSystemFields(object, request.context.now);
  nameFromPrefix(object);
  const begun = (await store.hooks.beginCreate?.(object, request)) ?? nothingBegun;
  let outcome: WriteOutcome = 'refused';
  let stored: StoredObject | undefined;
  try {
    await runCooperatively(prepareForCreate(object, store, request));
    await steps.validate(object);
    stored = await writeGuarded(begun, (guards) =>
      insert(store, object, guards, request).catch((error: unknown) => {
        outcome = outcomeOfFailure(error);
        throw error;
      }),
    );
    if (stored !== undefined) outcome = 'applied';
    return stored;
  } finally {
    await begun.finish(outcome, stored?.revision ?? 0);
  }
}

/** Puts a prepared object into the store; undefined when a guard failed. */
async function insert(
  store: ResourceStore,
  object: KubeObject,
  guards: readonly WriteGuard[],
  request: WriteRequest,
): Promise<StoredObject | undefined> {
  const meta = metaOf(object);
  const name = meta.name ?? '';
  const key = store.key(meta.namespace ?? '', name);
  if (request.dryRun) {
    if ((await store.storage.get(key, { match: 'mostRecent' }, request.signal)) !== undefined)
      throw await alreadyThere(store, key, name, alreadyExists(store.groupResource, name));
    return settled(() => store.unstored(object));
  }
  const lease = await store.lease?.(request.context.now);
  try {
    const bytes = await settled(() => store.encode(object));
    return await store.storage.create(key, bytes, {
      ...(lease === undefined ? {} : { lease }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...guardOptions(guards),
    });
  } catch (error) {
    if (guards.length > 0 && isStorageError(error, 'Conflict')) return undefined;
    const status = toStatusError(error, 'create', store.groupResource, name);
    throw isAlreadyExists(status)
      ? generatedNameClash(store, object, await alreadyThere(store, key, name, status))
      : status;
  }
}

/** A name that is taken by an object on its way out gets a hint, so that the caller knows to wait. */
async function alreadyThere(
  store: ResourceStore,
  key: string,
  name: string,
  status: StatusError,
): Promise<StatusError> {
  const current = await store.storage.get(key, { match: 'mostRecent' }).catch(() => undefined);
  if (current === undefined || (await settled(() => store.decode(current))).metadata?.deletionTimestamp === undefined)
    return status;
  return new StatusError(status.code, status.reason, `object is being deleted: ${status.message}`, status.details);
}

/** A client that asked for a generated name should retry: the next name is a different one. */
function generatedNameClash(store: ResourceStore, object: KubeObject, status: StatusError): StatusError {
  if ((object.metadata?.generateName ?? '') === '') return status;
  return new StatusError(
    status.code,
    status.reason,
    `${status.message}, the server was not able to generate a unique name for the object`,
    { ...status.details, retryAfterSeconds: 1 },
  );
}

const isAlreadyExists = (error: unknown): error is StatusError =>
  isStatusError(error) && error.reason === 'AlreadyExists';

const isNameGenerated = (object: KubeObject): boolean =>
  (object.metadata?.name ?? '') === '' && (object.metadata?.generateName ?? '') !== '';

function rejectResourceVersion(object: KubeObject): void {
  const meta = metaOf(object);
  if (meta.resourceVersion !== undefined && meta.resourceVersion !== '' && meta.resourceVersion !== '0')
    throw plainError('resourceVersion should not be set on objects to be created');
  delete meta.resourceVersion;
}
