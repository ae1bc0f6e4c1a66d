/**
 * Deletes objects whose owners are gone, and ends deletions that wait for dependents.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/garbage-collection/ | Garbage collection}
 */
import { sleep } from '../../base/clock.ts';
import { Latch } from '../../base/latch.ts';
import { apiVersionOf, type DiscoveredResource } from '../../client/discovery/resources.ts';
import { discover } from '../../client/discovery/discover.ts';
import { isConflict } from '../../client/api-error.ts';
import type { InformerHandler } from '../../client/index.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { Controller, Trigger } from '../../reconcile/controller.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import type { ControllerContext } from '../manager/context.ts';
import { metricOf } from '../shared/metrics.ts';
import { Collector, UnknownKindError } from './collector.ts';
import { AbsentOwners } from './absent-owners.ts';
import { type GraphListener, type GraphNode, OwnerGraph } from './graph.ts';
import { Monitors, rediscoverMs } from '../shared/monitors.ts';
import { Objects } from './objects.ts';
import { invalidNamespaceMessage } from './sync.ts';

/** A resource that cannot be read does not hold up the others for longer. */
const initialSyncMs = 30_000;

/** Of those, objects have no owners, and there are many. */
const ignored: ReadonlySet<string> = new Set(['/events', 'events.k8s.io/events']);

export async function startGarbageCollection(context: ControllerContext): Promise<void> {
  const { client, options, log, clock } = context;
  if (!options.garbageCollector.isEnabled) return log.warn({}, 'the garbage collector is switched off');
  const absent = new AbsentOwners();
  const queues: { check?: Controller; orphan?: Controller } = {};
  const graph = new OwnerGraph(listenerOf(context, absent, queues));
  const monitors = new Monitors({
    discover: (signal) => discover(client, signal),
    isWanted: isCollectable,
    lease: (target) => context.lease(target),
    handlerOf: (resource) => observer(graph, resource),
    forget: (resource) => graph.forget(resource),
    onFailure: failureCounter(context),
    log,
    clock,
  });
  context.onStop(() => monitors.stop());
  const collector = new Collector({
    graph,
    objects: new Objects(client),
    absent,
    resourceOf: (apiVersion, kind) => monitors.discovery?.ofKind(apiVersion, kind),
    check: (node) => queues.check!.add(node.uid),
  });
  const discovery = await monitors.discover();
  const begun = new Latch();
  const synced: Trigger = {
    attach: () => () => undefined,
    async untilSynced(signal) {
      await begun.wait(signal);
      await Promise.race([monitors.untilSynced(signal), sleep(clock, initialSyncMs, signal)]);
    },
  };
  const isExpected = (error: unknown): boolean => isConflict(error) || error instanceof UnknownKindError;
  const common = { workers: options.garbageCollector.concurrentSyncs, triggers: [synced], isExpected };
  queues.check = context.work({
    ...common,
    queue: 'garbage_collector_attempt_to_delete',
    sync: (uid) => collector.check(uid),
  });
  queues.orphan = context.work({
    ...common,
    queue: 'garbage_collector_attempt_to_orphan',
    sync: (uid) => collector.orphan(uid),
  });
  monitors.apply(discovery);
  begun.open();
  context.every(rediscoverMs, () => monitors.refresh());
}

const isCollectable = ({ group, resource, verbs }: DiscoveredResource): boolean =>
  !ignored.has(`${group}/${resource}`) && ['delete', 'list', 'watch'].every((verb) => verbs.has(verb));

function listenerOf(
  { events }: ControllerContext,
  absent: AbsentOwners,
  queues: { readonly check?: Controller; readonly orphan?: Controller },
): GraphListener {
  return {
    check: (node) => queues.check!.add(node.uid),
    orphan: (node) => queues.orphan!.add(node.uid),
    gone(node) {
      if (node.resource !== undefined) absent.add(referenceOf(node), node.namespace);
    },
    refersAcrossNamespaces(dependent, reference) {
      const involved = { ...referenceOf(dependent), namespace: dependent.namespace };
      const message = invalidNamespaceMessage(reference, dependent.namespace);
      events.event(involved, 'Warning', 'OwnerRefInvalidNamespace', message);
    },
  };
}

const referenceOf = ({ resource, name, uid }: GraphNode) => ({
  apiVersion: apiVersionOf(resource!),
  kind: resource!.kind,
  name,
  uid,
});

/** An object that was deleted and made anew between two looks of the informer is another one. */
const observer = (graph: OwnerGraph, resource: DiscoveredResource): InformerHandler<KubeObject> => ({
  onAdd: (object) => graph.observe(resource, object),
  onUpdate(before, after) {
    if (before === after) return;
    if (before.metadata?.uid !== after.metadata?.uid) graph.remove(before.metadata?.uid ?? '');
    graph.observe(resource, after);
  },
  onDelete: (last) => graph.remove(last.metadata?.uid ?? ''),
});

function failureCounter({ metrics }: ControllerContext): () => void {
  if (metrics === undefined) return () => undefined;
  const counter = metricOf(metrics, 'garbagecollector_controller_resources_sync_error_total', (name) => {
    const help = 'Times that the resources whose objects are collected could not be found out.';
    return new SeriesCounter({ name, help, registry: metrics });
  });
  return () => counter.series({}).inc();
}
