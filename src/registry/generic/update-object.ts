import { invalid as invalidField } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { GoSyntax } from '../../machinery/go-quote.ts';
import { keepTimes } from '../../machinery/managed-fields/keep-times.ts';
import { type KubeObject, metaOf, type ObjectMeta } from '../../machinery/object-meta.ts';
import { conflict, invalid as invalidStatus, modified, notFound, plainError } from '../../machinery/status.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { runCooperatively } from '../../machinery/cooperative-scheduling.ts';
import { ensureNamespace, fillSystemFields, prepareForCreate } from './before-create.ts';
import { prepareForUpdate } from './before-update.ts';
import { settled } from './pending.ts';
import type { ResourceStore } from './resource-store.ts';
import { type Change, readModifyWrite, StaleRead, type SwapResult } from './update.ts';
import { type BegunWrite, nothingBegun, type Preconditions, type WriteRequest } from './write.ts';

export interface UpdateSteps {
  /**
   * The object the caller wants, made anew at every call. `current` is the object that is there, shared and not to be
   * changed; `copy` gives one of the callee's own. May throw a refusal.
   */
  readonly change: (current: KubeObject | undefined, copy: () => KubeObject) => Promise<KubeObject> | KubeObject;
  /** Mutating admission and field ownership. */
  readonly admit: (object: KubeObject, old: KubeObject | undefined) => Promise<void>;
  /** Validating admission. */
  readonly validate: (object: KubeObject, old: KubeObject | undefined) => Promise<void>;
}

export interface UpdateObjectOptions {
  readonly preconditions?: Preconditions;
  /** Apply creates whatever the kind's rule for PUT is; status never creates. */
  readonly allowCreate: boolean;
}

/** Changes one object, or creates it where that is allowed. An update that changes nothing writes nothing. */
export function updateObject(
  store: ResourceStore,
  steps: UpdateSteps,
  options: UpdateObjectOptions,
  request: WriteRequest,
): Promise<SwapResult> {
  const key = store.key(request.namespace, request.name);
  return readModifyWrite(
    store,
    key,
    (current, stored, fresh) => computeUpdate(store, { current, stored, fresh }, steps, options, request),
    request,
  );
}

async function computeUpdate(
  store: ResourceStore,
  {
    current,
    stored,
    fresh,
  }: {
    readonly current: KubeObject | undefined;
    readonly stored: StoredObject | undefined;
    readonly fresh: boolean;
  },
  steps: UpdateSteps,
  options: UpdateObjectOptions,
  request: WriteRequest,
): Promise<Change> {
  if (current === undefined) checkCreatable(store, options, request);
  else checkPreconditions(store, current, options.preconditions, request);
  const old = current;
  const object = await settled(() => steps.change(current, () => store.decode(stored!)));
  if (old === undefined) return computeCreate(store, object, steps, options, request);
  // A version that only a cache behind does not know costs no question to admission.
  if (!fresh && isOtherVersion(object, old)) throw new StaleRead();
  await steps.admit(object, old);
  checkResourceVersion(store, object, old, request);
  ensureNamespace(object, request.namespace);
  metaOf(object).resourceVersion = metaOf(old).resourceVersion!;
  const begun = (await store.hooks.beginUpdate?.(object, old, request)) ?? nothingBegun;
  return finishedOnRefusal(begun, async () => {
    await runCooperatively(prepareForUpdate(object, old, store, request));
    await steps.validate(object, old);
    if (shouldDeleteDuringUpdate(store, object)) {
      // The object goes as it is stored: what this change would have taken is not needed.
      await begun.finish('refused', 0);
      return { action: 'remove', object };
    }
    return {
      action: 'write',
      object: withRecordedTimes(object, old, stored!, store),
      begun,
    };
  });
}

/** What changes nothing but times is as it was. */
function withRecordedTimes(
  object: KubeObject,
  old: KubeObject,
  stored: StoredObject,
  store: ResourceStore,
): KubeObject {
  const { timesCompared } = store;
  const start = performance.now();
  return keepTimes(
    object,
    old,
    (candidate) => store.encode(candidate).equals(stored.bytes),
    (comparison) => timesCompared?.(comparison, (performance.now() - start) / 1000),
  );
}

async function computeCreate(
  store: ResourceStore,
  object: KubeObject,
  steps: UpdateSteps,
  { allowCreate }: UpdateObjectOptions,
  request: WriteRequest,
): Promise<Change> {
  const meta = metaOf(object);
  if (allowCreate) checkApplied(store, meta, request);
  else if (meta.resourceVersion !== undefined && meta.resourceVersion !== '' && meta.resourceVersion !== '0')
    throw notFound(store.groupResource, request.name);
  delete meta.resourceVersion;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  await steps.admit(object, undefined);
  ensureNamespace(object, request.namespace);
  fillSystemFields(object, request.context.now);
  const begun = (await store.hooks.beginCreate?.(object, request)) ?? nothingBegun;
  return finishedOnRefusal(begun, async () => {
    await runCooperatively(prepareForCreate(object, store, request));
    await steps.validate(object, undefined);
    return { action: 'write', object, begun };
  });
}

/** A configuration may name any version of what is not there yet, but not an object that is gone. */
function checkApplied(store: ResourceStore, { uid = '' }: ObjectMeta, { name }: WriteRequest): void {
  if (uid !== '')
    throw conflict(
      store.groupResource,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
}

async function finishedOnRefusal(begun: BegunWrite, compute: () => Promise<Change>): Promise<Change> {
  try {
    return await compute();
  } catch (refusal) {
    await begun.finish('refused', 0);
    throw refusal;
  }
}

function checkCreatable(
  store: ResourceStore,
  { allowCreate, preconditions }: UpdateObjectOptions,
  request: WriteRequest,
): void {
  if (preconditions?.uid !== undefined) {
    throw conflict(
      store.groupResource,
      request.name,
      `StorageError: invalid object, Code: 4, Key: ${store.key(request.namespace, request.name)}, ` +
        `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${preconditions.uid}, ` +
        'UID in object meta: ',
    );
  }
  if (!allowCreate && store.resource.allowCreateOnUpdate !== true) throw notFound(store.groupResource, request.name);
}

function checkPreconditions(
  store: ResourceStore,
  current: KubeObject,
  preconditions: Preconditions | undefined,
  request: WriteRequest,
): void {
  const uid = current.metadata?.uid ?? '';
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      store.groupResource,
      request.name,
      `StorageError: invalid object, Code: 4, Key: ${store.key(request.namespace, request.name)}, ` +
        `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${preconditions.uid}, ` +
        `UID in object meta: ${uid}`,
    );
  }
}

function isOtherVersion(object: KubeObject, old: KubeObject): boolean {
  const version = metaOf(object).resourceVersion ?? '';
  return version !== '' && version !== metaOf(old).resourceVersion;
}

/** PUT must name the version it replaces, unless the kind allows to overwrite whatever is there. */
function checkResourceVersion(store: ResourceStore, object: KubeObject, old: KubeObject, request: WriteRequest): void {
  const version = metaOf(object).resourceVersion ?? '';
  if (version !== '' && !/^\d+$/.test(version))
    throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  if (version === '' || Number(version) === 0) {
    if (store.resource.allowUnconditionalUpdate !== false) return;
    throw invalidStatus({ group: store.group, kind: store.resourceName }, request.name, [
      invalidField(FieldPath.of('metadata', 'resourceVersion'), new GoSyntax('0x0'), 'must be specified for an update'),
    ]);
  }
  if (version !== metaOf(old).resourceVersion) throw modified(store.groupResource, request.name);
}

function shouldDeleteDuringUpdate(store: ResourceStore, object: KubeObject): boolean {
  const meta = metaOf(object);
  if (store.resource.mayBeRemoved?.(object) === false) return false;
  return (
    (meta.finalizers?.length ?? 0) === 0 &&
    meta.deletionTimestamp !== undefined &&
    Number(meta.deletionGracePeriodSeconds ?? 0) === 0
  );
}
