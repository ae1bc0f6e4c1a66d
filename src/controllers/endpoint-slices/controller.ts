/**
 * Keeps the EndpointSlices of services with a selector.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/ | EndpointSlices}
 */
import type { EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import type { Service } from '../../api/gen/types/core-v1.ts';
import { isNotFound } from '../../client/api-error.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { isNamespaceTerminating } from '../shared/pod-control.ts';
import { hasSelector, podsOf, servicesOfPods } from '../shared/service-pods.ts';
import { triggerTimeAnnotation } from '../endpoints/sync.ts';
import { TriggerTimes } from '../shared/trigger-times.ts';
import { withHints } from './hints.ts';
import type { SliceChanges } from './slices.ts';
import { managedBy, managedByLabel, serviceNameLabel, slicesOf } from './sync.ts';

/** The index of slices by the key of their service, for those of this controller. */
const serviceIndex = 'managed-service';

export function startEndpointSlices(context: ControllerContext): void {
  const { client, options, events } = context;
  const services = context.informer(client.core.v1.services);
  const pods = context.informer(client.core.v1.pods);
  const nodes = context.informer(client.core.v1.nodes);
  const slices = context.informer(client.discovery.v1.endpointslices);
  const cache = context.mutationCache(slices);
  cache.addIndex(serviceIndex, serviceKeys);
  const { concurrentSyncs, maxEndpointsPerSlice, updatesBatchPeriodMs } = options.endpointSlice;
  const triggerTimes = new TriggerTimes();

  const sync = async (key: string): Promise<undefined> => {
    const service = services.objects.get(key);
    if (service === undefined) return triggerTimes.forget(key) as undefined;
    if (!hasSelector(service)) return undefined;
    const selected = podsOf(pods.lister, service);
    const existing = cache
      .byIndex(serviceIndex, key)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const results = slicesOf({
      service,
      pods: selected,
      slices: existing,
      nodeOf: (name) => nodes.objects.get(name),
      maxPerSlice: maxEndpointsPerSlice,
    });
    const triggerTime = triggerTimes.next(key, service, selected);
    const problems: string[] = [];
    for (const { problems: found, ...changes } of results) {
      problems.push(...found);
      await write(withHints(service, changes), triggerTime).catch((error: unknown) => {
        if (!isNamespaceTerminating(error)) problems.push((error as Error).message);
      });
    }
    if (problems.length > 0) throw failure(service, problems);
    return undefined;
  };

  const failure = (service: Service, problems: readonly string[]): Error => {
    const { namespace, name } = service.metadata;
    const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${text}`;
    events.event(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
    return new Error(message);
  };

  const write = async ({ create, update, remove }: SliceChanges, triggerTime: string | undefined): Promise<void> => {
    const resource = (slice: EndpointSlice) => client.discovery.v1.endpointslices.namespace(slice.metadata.namespace!);
    for (const slice of create) cache.wrote(await resource(slice).create(withTrigger(slice, triggerTime)));
    for (const slice of update) cache.wrote(await resource(slice).update(withTrigger(slice, triggerTime)));
    for (const slice of remove) {
      await resource(slice)
        .delete(slice.metadata.name!)
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      cache.deleted(slice);
    }
  };

  context.work({
    queue: 'endpoint_slice',
    workers: concurrentSyncs,
    triggers: [
      changesOf(services),
      changesOf(slices, serviceKeys),
      servicesOfPods(services, pods, updatesBatchPeriodMs),
    ],
    sync,
  });
}

function serviceKeys({ metadata }: EndpointSlice): string[] {
  const { labels = {}, namespace } = metadata;
  const service = labels[serviceNameLabel];
  return labels[managedByLabel] === managedBy && service !== undefined ? [`${namespace}/${service}`] : [];
}

function withTrigger(slice: EndpointSlice, time: string | undefined): EndpointSlice {
  const { [triggerTimeAnnotation]: _, ...annotations } = slice.metadata.annotations ?? {};
  const next = time === undefined ? annotations : { ...annotations, [triggerTimeAnnotation]: time };
  return { ...slice, metadata: { ...slice.metadata, annotations: next } };
}
