/**
 * Keeps the EndpointSlices of services with a selector.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/ | EndpointSlices}
 */
import type { EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import type { Node, Service } from '../../api/gen/types/core-v1.ts';
import type { Informer } from '../../client/index.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { hasSelector, podsOf, servicesOfPods } from '../shared/service-pods.ts';
import {
  reuseSlices,
  serviceKeysOf,
  type SliceChanges,
  sliceRateLimiter,
  writeSlices,
} from '../shared/slice-changes.ts';
import { triggerTimeAnnotation, TriggerTimes } from '../shared/trigger-times.ts';
import { eventsOf } from '../shared/triggers.ts';
import { SliceReport } from './metrics.ts';
import { managedBy, slicesOf, type SyncResult } from './sync.ts';
import { Topology } from './topology.ts';

/** The index of slices by the key of their service, for those of this controller. */
const serviceIndex = 'managed-service';
/** The one key of the queue for changes of nodes. */
const nodesKey = 'nodes';

export function startEndpointSlices(context: ControllerContext): void {
  const { client, options, events, clock } = context;
  const services = context.informer(client.core.v1.services);
  const pods = context.informer(client.core.v1.pods);
  const nodes = context.informer(client.core.v1.nodes);
  const slices = context.informer(client.discovery.v1.endpointslices);
  const cache = context.mutationCache(slices);
  const keysOf = serviceKeysOf(managedBy);
  cache.addIndex(serviceIndex, keysOf);
  const { concurrentSyncs, maxEndpointsPerSlice, updatesBatchPeriodMs } = options.endpointSlice;
  const triggerTimes = new TriggerTimes();
  const topology = new Topology();
  const report = new SliceReport(context.metrics);
  context.onStop(() => report.forgetAll());

  const forget = (key: string): undefined => {
    triggerTimes.forget(key);
    topology.forget(key);
    report.forget(key);
  };

  const sync = async (key: string): Promise<undefined> => {
    const service = services.objects.get(key);
    if (service === undefined) return forget(key);
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
    for (const result of results) {
      problems.push(...result.problems);
      await write(key, service, result, triggerTime).catch((error: unknown) => {
        problems.push((error as Error).message);
      });
    }
    report.synced(problems.length === 0);
    if (problems.length > 0) throw failure(service, problems);
    return undefined;
  };

  const write = async (
    key: string,
    service: Service,
    result: SyncResult,
    triggerTime: string | undefined,
  ): Promise<void> => {
    const { changes, event } = topology.hint(key, service, result.addressType, result.changes);
    report.result(key, service, result);
    reuseSlices(service, changes);
    const writes = changes.create.length + changes.update.length + changes.remove.length;
    try {
      await writeSlices({ ...service, kind: 'Service' }, withTrigger(changes, triggerTime), {
        client,
        cache,
        metrics: report.metrics,
      });
    } finally {
      if (event !== undefined) events.event(service, event.type, event.reason, event.message);
    }
    report.written(service, writes);
  };

  const failure = (service: Service, problems: readonly string[]): Error => {
    const { namespace, name } = service.metadata;
    const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${text}`;
    events.event(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
    return new Error(message);
  };

  const own = changesOf(slices, keysOf);
  const queue = context.work({
    queue: 'endpoint_slice',
    workers: concurrentSyncs,
    triggers: [
      followNodes(nodes, topology),
      changesOf(services),
      { ...own, attach: (add) => own.attach((key) => add(key, updatesBatchPeriodMs)) },
      servicesOfPods(services, pods, updatesBatchPeriodMs),
    ],
    sync,
    rateLimiter: sliceRateLimiter(clock),
  });
  context.work({
    queue: 'endpoint_slice_topology',
    workers: 1,
    triggers: [changesOf(nodes, () => [nodesKey])],
    sync: () => {
      for (const key of topology.overloaded()) queue.add(key);
      return Promise.resolve(undefined);
    },
  });
}

/** Wakes no service: what nodes have is known before the first service is looked at. */
const followNodes = (nodes: Informer<Node>, topology: Topology) =>
  eventsOf(nodes, () => ({
    onAdd: (node) => topology.setNode(node),
    onUpdate: (_, node) => topology.setNode(node),
    onDelete: ({ metadata }) => topology.deleteNode(metadata.name!),
  }));

function withTrigger({ create, update, ...rest }: SliceChanges, time: string | undefined): SliceChanges {
  const annotated = (slice: EndpointSlice): EndpointSlice => {
    const { [triggerTimeAnnotation]: _, ...annotations } = slice.metadata.annotations ?? {};
    const next = time === undefined ? annotations : { ...annotations, [triggerTimeAnnotation]: time };
    return { ...slice, metadata: { ...slice.metadata, annotations: next } };
  };
  return { ...rest, create: create.map(annotated), update: update.map(annotated) };
}
