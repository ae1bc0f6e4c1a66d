/**
 * Which objects a controller has: those that refer to it and match its selector. Orphans that match are adopted, and
 * objects that no longer match are released.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#non-template-pod-acquisitions |
 *   Non-template pod acquisitions}
 */
import { isInvalid, isNotFound } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Patch } from '../../client/index.ts';
import { matchesLabels, nothing, type Requirements, SelectorError } from '../../machinery/label-selector.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import { controllerIndex, controllerOf, controllerReference, orphansOf } from './owner-references.ts';

export interface ClaimOptions<T extends KubeObject> {
  readonly owner: KubeObject;
  readonly selector: Requirements;
  /** Has the index `controllerIndex`. */
  readonly objects: MutationCache<T>;
  readonly patch: (object: T, patch: Patch) => Promise<T>;
  /** The owner as the server has it now; undefined when it is gone. Asked for once, before the first adoption. */
  readonly freshOwner: () => Promise<KubeObject | undefined>;
  /** On every object that the owner has. */
  readonly finalizer?: string;
  /** Others are neither claimed nor released; all objects are candidates when absent. */
  readonly isCandidate?: (object: T) => boolean;
}

/** @returns the objects that the owner has now. Rejects when one could not be adopted or released. */
export async function claim<T extends KubeObject>(options: ClaimOptions<T>): Promise<T[]> {
  const { owner, selector, objects, isCandidate = () => true } = options;
  const { uid = '', namespace = '', deletionTimestamp } = owner.metadata!;
  const claimed: T[] = [];
  const matches = (object: T): boolean => matchesLabels(selector, object.metadata?.labels);
  for (const object of objects.byIndex(controllerIndex, uid)) {
    if (!isCandidate(object)) continue;
    if (matches(object)) claimed.push(object);
    else if (deletionTimestamp === undefined) await release(object, options);
  }
  if (deletionTimestamp !== undefined) return claimed;
  let mayAdopt: Promise<void> | undefined;
  for (const object of objects.byIndex(controllerIndex, orphansOf(namespace))) {
    if (object.metadata?.deletionTimestamp !== undefined || !isCandidate(object) || !matches(object)) continue;
    await (mayAdopt ??= checkOwner(options));
    const adopted = await adopt(object, options);
    if (adopted !== undefined) claimed.push(adopted);
  }
  return claimed;
}

async function checkOwner<T extends KubeObject>({ owner, freshOwner }: ClaimOptions<T>): Promise<void> {
  const { namespace, name, uid } = owner.metadata!;
  const fresh = await freshOwner();
  if (fresh?.metadata?.uid !== uid)
    throw new Error(
      `original ${owner.kind} ${namespace}/${name} is gone: got uid ${fresh?.metadata?.uid}, wanted ${uid}`,
    );
  if (fresh?.metadata?.deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
}

async function adopt<T extends KubeObject>(
  object: T,
  { owner, objects, patch, finalizer }: ClaimOptions<T>,
): Promise<T | undefined> {
  const { uid } = object.metadata!;
  const finalizers = finalizer === undefined ? {} : { finalizers: [finalizer] };
  const body = { metadata: { ownerReferences: [controllerReference(owner)], uid, ...finalizers } };
  try {
    const adopted = await patch(object, { strategic: body } as unknown as Patch);
    objects.wrote(adopted);
    return adopted;
  } catch (error) {
    return undefinedWhenGone(error);
  }
}

async function release<T extends KubeObject>(object: T, options: ClaimOptions<T>): Promise<void> {
  const { owner, objects, patch, finalizer } = options;
  const { uid } = object.metadata!;
  const finalizers = finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [finalizer] };
  const body = { metadata: { ownerReferences: [{ $patch: 'delete', uid: owner.metadata!.uid }], uid, ...finalizers } };
  try {
    objects.wrote(await patch(object, { strategic: body } as unknown as Patch));
  } catch (error) {
    // Gone, or made anew with the same name: released in any case.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}

/** Keys of the owner that an object names as its controller, when that is of this kind. */
export function keyOfController(object: KubeObject, kind: string): string[] {
  const controller = controllerOf(object);
  return controller?.kind === kind ? [`${object.metadata?.namespace}/${controller.name}`] : [];
}

/**
 * Keys of those of the kind that an object concerns: its controller, or those that could adopt it. An empty selector
 * selects nothing here, and neither does an invalid one.
 */
export function keysOfOwned<T extends KubeObject>(
  kind: string,
  owners: Informer<T>,
  selectorOf: (owner: T) => Requirements,
): (object: KubeObject) => string[] {
  return (object) => {
    const { labels, namespace = '', deletionTimestamp } = object.metadata!;
    if (controllerOf(object) !== undefined) return keyOfController(object, kind);
    if (labels === undefined || deletionTimestamp !== undefined) return [];
    return owners.lister
      .listIn(namespace)
      .filter((owner) => {
        const selector = usableRequirements(() => selectorOf(owner));
        return selector.length > 0 && matchesLabels(selector, labels);
      })
      .map((owner) => owners.keyOf(owner));
  };
}

/** An invalid selector selects nothing: one such object does not keep others from being woken. */
export function usableRequirements(requirementsOf: () => Requirements): Requirements {
  try {
    return requirementsOf();
  } catch (error) {
    if (error instanceof SelectorError) return nothing;
    throw error;
  }
}
