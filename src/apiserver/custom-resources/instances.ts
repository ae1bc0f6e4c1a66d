/** The end of a definition: its objects are deleted, and when the last one is gone the definition may go. */
import { hasCondition, setCondition } from '../../api/apiextensions/conditions.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import { isStatusError } from '../../machinery/status.ts';
import { cleanupFinalizer } from '../../registry/apiextensions/index.ts';
import { deleteObject } from '../../registry/generic/delete.ts';
import { internalRequest } from '../../registry/generic/internal-request.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { timestamp } from '../../registry/generic/timestamp.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { LoopbackClient } from '../bootstrap/loopback-client.ts';
import type { CustomResources } from './custom-resources.ts';
import type { DefinitionInformer } from './definition-informer.ts';

export interface RemoveInstancesOptions {
  readonly definitions: DefinitionInformer;
  readonly resources: CustomResources;
  /** Ends with the signal. */
  readonly writer: LoopbackClient;
  readonly signal: AbortSignal;
}

const definitionsResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', namespace: '' };

const inProgress = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
} as const;

/** Resolves when the definition has been let go, or the signal aborts. */
export async function removeInstances(name: string, options: RemoveInstancesOptions): Promise<void> {
  const { definitions, resources, writer, signal } = options;
  const definition = definitions.get(name);
  if (definition?.metadata.finalizers?.includes(cleanupFinalizer) !== true) return;
  const change = (apply: (current: CustomResourceDefinition) => void, subresource: '' | 'status'): Promise<void> =>
    gone(writer.change<CustomResourceDefinition>({ ...definitionsResource, name }, apply, subresource));
  await change((current) => setCondition(current, inProgress, timestamp(new Date())), 'status');
  const store = hasCondition(definition, 'Established') ? resources.storeOf(name) : undefined;
  if (store !== undefined) await emptied(store, signal);
  if (signal.aborted) return;
  await change(({ metadata }) => {
    metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
  }, '');
}

/** Somebody else may have been faster. */
async function gone(change: Promise<unknown>): Promise<void> {
  await change.catch((error: unknown) => {
    if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
  });
}

/** Deletes what is there and what comes, and waits for the finalizers of each object. */
async function emptied(store: ResourceStore, signal: AbortSignal): Promise<void> {
  const { objects, revision } = await store.list({ version: { match: 'mostRecent' }, signal });
  const left = new Set<string>();
  const remove = async (stored: StoredObject): Promise<void> => {
    left.add(stored.key);
    await gone(removeOne(store, stored, signal));
  };
  let wake: () => void = () => undefined;
  const watch = await store.watch({ after: revision, signal, onReady: () => wake() });
  const stop = (): void => wake();
  signal.addEventListener('abort', stop);
  try {
    for (const stored of objects) await remove(stored);
    while (left.size > 0 && !signal.aborted) {
      const ready = new Promise<void>((resolve) => (wake = resolve));
      const events = watch.take();
      for (const { type, object } of events) {
        if (object === undefined) continue;
        if (type === 'DELETED') left.delete(object.key);
        else if (!left.has(object.key)) await remove(object);
      }
      if (events.length > 0) continue;
      if (watch.ended !== undefined) throw watch.ended;
      await ready;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    watch.close();
  }
}

async function removeOne(store: ResourceStore, stored: StoredObject, signal: AbortSignal): Promise<void> {
  const { namespace, name } = stored.attributes;
  await deleteObject(
    store,
    {},
    () => Promise.resolve(),
    internalRequest(store, { namespace, name, enabled: () => false, signal }),
  );
}
