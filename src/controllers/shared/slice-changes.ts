/** What is to become of the EndpointSlices of a service, and the writes that follow from it. */
import type { Clock } from '../../base/clock.ts';
import type { EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { Client } from '../../client/index.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import {
  ExponentialRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  TokenBucketRateLimiter,
} from '../../reconcile/rate-limiter.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { isNamespaceTerminating } from './pod-control.ts';
import type { SliceMetrics } from './slice-metrics.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';

/** What is to be written. Objects of `unchanged` are those of the informer. */
export interface SliceChanges {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly remove: EndpointSlice[];
  readonly unchanged: EndpointSlice[];
}

export const noChanges = (): SliceChanges => ({ create: [], update: [], remove: [], unchanged: [] });

/** Keys of the service that a slice is for, when this controller keeps the slice. */
export const serviceKeysOf =
  (controller: string) =>
  ({ metadata }: EndpointSlice): string[] => {
    const { labels = {}, namespace } = metadata;
    const service = labels[serviceNameLabel];
    return labels[managedByLabel] === controller && service !== undefined ? [`${namespace}/${service}`] : [];
  };

export const isOwnedBy = ({ metadata }: EndpointSlice, owner: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata?.uid) ?? false;

/**
 * A slice that is not needed becomes one that is missing: one write in place of two. The address type of a slice cannot
 * change, and a slice of another owner of the same name is about to be collected.
 */
export function reuseSlices(owner: KubeObject, { create, update, remove }: SliceChanges): void {
  for (let index = remove.length - 1; index >= 0; index--) {
    const old = remove[index]!;
    if (!isOwnedBy(old, owner)) continue;
    const wanted = create.findLastIndex(({ addressType }) => addressType === old.addressType);
    if (wanted < 0) continue;
    const [{ metadata, ...content }] = create.splice(wanted, 1) as [EndpointSlice];
    remove.splice(index, 1);
    const { generateName: _, ...rest } = metadata;
    update.push({ ...content, metadata: { ...old.metadata, ...rest } });
  }
}

export interface SliceWriter {
  readonly client: Client;
  readonly cache: MutationCache<EndpointSlice>;
  readonly metrics: SliceMetrics;
}

/**
 * Rejects with the first failure. Slices that are gone already are no failure. An owner that is about to be deleted
 * gets no more slices, and a namespace that ends takes none.
 */
export async function writeSlices(
  owner: KubeObject,
  { create, update, remove }: SliceChanges,
  { client, cache, metrics }: SliceWriter,
): Promise<void> {
  const { namespace = '', name, deletionTimestamp } = owner.metadata!;
  const resource = client.discovery.v1.endpointslices.namespace(namespace);
  const failed = (verb: string, slice: string) => (error: unknown) => {
    const message = `failed to ${verb} ${slice}EndpointSlice for ${owner.kind} ${namespace}/${name}`;
    throw new Error(`${message}: ${(error as Error).message}`, { cause: error });
  };
  if (deletionTimestamp === undefined)
    for (const slice of create) {
      try {
        cache.wrote(await resource.create(slice));
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        failed('create', '')(error);
      }
      metrics.changed('create');
    }
  for (const slice of update) {
    cache.wrote((await resource.update(slice).catch(failed('update', `${slice.metadata.name} `)))!);
    metrics.changed('update');
  }
  for (const slice of remove) {
    await resource.delete(slice.metadata.name!).catch((error: unknown) => {
      if (!isNotFound(error)) failed('delete', `${slice.metadata.name} `)(error);
    });
    cache.deleted(slice);
    metrics.changed('delete');
  }
}

/** Writes of slices cost much: what fails is tried again after a second at first. */
export const sliceRateLimiter = (clock: Clock): RateLimiter =>
  new MaxOfRateLimiter([
    new ExponentialRateLimiter({ firstMs: 1000, maxMs: 100_000 }),
    new TokenBucketRateLimiter({ perSecond: 10, burst: 100 }, clock),
  ]);
