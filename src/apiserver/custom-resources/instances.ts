/** The end of a definition: its objects are deleted, and when the last one is gone the definition may go. */
import { hasCondition, setCondition } from '../../api/apiextensions/custom-resource-definitions/conditions.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { Latch } from '../../base/latch.ts';
import { isStatusError } from '../../machinery/status.ts';
import { cleanupFinalizer } from '../../registry/apiextensions/custom-resource-definitions/strategy.ts';
import { deleteObject } from '../../registry/generic/delete.ts';
import { internalRequest } from '../../registry/generic/internal-request.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { timestamp } from '../../registry/generic/timestamp.ts';
import { createStoreInformer } from '../../registry/store-source.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import type { CustomResources } from './custom-resources.ts';
import type { DefinitionInformer } from './definition-informer.ts';

export interface RemoveInstancesOptions {
  readonly definitions: DefinitionInformer;
  readonly resources: CustomResources;
  /** Ends with the signal. */
  readonly writer: LoopbackClient;
  readonly log: Logger;
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
  const { definitions, resources, writer, log, signal } = options;
  const definition = definitions.get(name);
  if (definition?.metadata.finalizers?.includes(cleanupFinalizer) !== true) return;
  const change = (apply: (current: CustomResourceDefinition) => void, subresource: '' | 'status'): Promise<void> =>
    gone(writer.change<CustomResourceDefinition>({ ...definitionsResource, name }, apply, subresource));
  await change((current) => setCondition(current, inProgress, timestamp(new Date())), 'status');
  const store = hasCondition(definition, 'Established') ? resources.storeOf(name) : undefined;
  if (store !== undefined) await emptied(store, log, signal);
  if (signal.aborted) return;
  await change(({ metadata }) => {
    metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
  }, '');
}

/** Another client may have been faster. */
async function gone(change: Promise<unknown>): Promise<void> {
  await change.catch((error: unknown) => {
    if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
  });
}

/**
 * Deletes what is there and what comes, and waits for the finalizers of each object. Rejects when the objects cannot be
 * read any more: the definition may be served by another store by then.
 */
async function emptied(store: ResourceStore, log: Logger, signal: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const end = AbortSignal.any([signal, lost.signal]);
  const informer = createStoreInformer({ store, freshness: 'mostRecent', log, onError: (error) => lost.abort(error) });
  const toDelete: StoredObject[] = [];
  const changed = new Latch();
  informer.addHandler({
    onAdd(object) {
      toDelete.push(object);
      changed.open();
    },
    onDelete: () => changed.open(),
  });
  informer.start();
  try {
    await informer.untilSynced(end);
    while (informer.objects.size > 0) {
      // Before the first deletion: a change that comes from here on opens the latch again.
      changed.shut();
      for (const object of toDelete.splice(0)) await gone(removeOne(store, object, signal));
      if (informer.objects.size > 0) await changed.wait(end);
    }
  } finally {
    await informer.stop();
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
