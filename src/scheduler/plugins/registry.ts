/** The plugins by name: what makes each, and at which extension points it takes part. */
import type { PluginArgs } from '../config/plugin-args.ts';
import type { ExtensionPoint } from '../framework/extension-point.ts';
import type { SchedulerInformers } from '../informers.ts';
import type { WorkloadReader } from './pod-topology-spread/default-selector.ts';
import type { Plugin } from '../framework/plugin.ts';
import { createDefaultBinder } from './default-binder.ts';
import { createDefaultPreemption, type PreemptionParts } from './default-preemption/plugin.ts';
import { createDynamicResources } from './dynamic-resources/plugin.ts';
import { skip } from '../framework/status.ts';
import { createImageLocality } from './image-locality.ts';
import { createInterPodAffinity } from './inter-pod-affinity/plugin.ts';
import { createNodeAffinity } from './node-affinity.ts';
import { createNodeName } from './node-name.ts';
import { createNodePorts } from './node-ports.ts';
import { createBalancedAllocation } from './node-resources-balanced-allocation.ts';
import { createNodeResourcesFit } from './node-resources-fit.ts';
import { createNodeUnschedulable } from './node-unschedulable.ts';
import type { PluginContext } from './plugin-context.ts';
import { createPodTopologySpread } from './pod-topology-spread/plugin.ts';
import { createPrioritySort } from './priority-sort.ts';
import { createSchedulingGates } from './scheduling-gates.ts';
import { createNodeVolumeLimits } from './node-volume-limits.ts';
import { createTaintToleration } from './taint-toleration.ts';
import { createVolumeBinding } from './volume-binding/plugin.ts';
import { createVolumeRestrictions } from './volume-restrictions.ts';
import { createVolumeZone } from './volume-zone.ts';
import { storageReader } from './volumes/storage-reader.ts';

interface RegisteredPlugin {
  readonly points: readonly ExtensionPoint[];
  create(args: PluginArgs, context: PluginContext): Plugin;
}

const registered: Readonly<Record<string, RegisteredPlugin>> = {
  SchedulingGates: { points: ['preEnqueue'], create: createSchedulingGates },
  PrioritySort: { points: ['queueSort'], create: createPrioritySort },
  NodeUnschedulable: { points: ['filter'], create: createNodeUnschedulable },
  NodeName: { points: ['filter'], create: createNodeName },
  TaintToleration: { points: ['filter', 'preScore', 'score'], create: createTaintToleration },
  NodeAffinity: {
    points: ['preFilter', 'filter', 'preScore', 'score'],
    create: (args) => createNodeAffinity(args.NodeAffinity),
  },
  NodePorts: { points: ['preFilter', 'filter'], create: createNodePorts },
  NodeResourcesFit: {
    points: ['filter', 'score'],
    create: (args) => createNodeResourcesFit(args.NodeResourcesFit),
  },
  VolumeRestrictions: {
    points: ['preFilter', 'filter'],
    create: (_, { cluster, informers }) => createVolumeRestrictions(storageReader(informers), cluster),
  },
  NodeVolumeLimits: {
    points: ['preFilter', 'filter'],
    create: (_, { informers }) => createNodeVolumeLimits(storageReader(informers)),
  },
  VolumeBinding: {
    // The score takes part with the gate VolumeCapacityPriority only, which gives it a shape.
    points: ['preFilter', 'filter', 'preScore', 'score', 'reserve', 'preBind'],
    create: (args, { cluster, informers, client, clock, observer }) =>
      createVolumeBinding(args.VolumeBinding, {
        ...{ client, clock, observer },
        storage: storageReader(informers),
        node: (name) => cluster.node(name)?.node,
      }),
  },
  VolumeZone: {
    points: ['preFilter', 'filter'],
    create: (_, { informers }) => createVolumeZone(storageReader(informers)),
  },
  PodTopologySpread: {
    points: ['preFilter', 'filter', 'preScore', 'score'],
    create: (args, { cluster, counts, informers }) =>
      createPodTopologySpread(args.PodTopologySpread, { cluster, counts, workloads: workloadReader(informers) }),
  },
  InterPodAffinity: {
    points: ['preFilter', 'filter', 'preScore', 'score'],
    create: (args, { cluster, counts, informers }) =>
      createInterPodAffinity(args.InterPodAffinity, {
        ...{ cluster, counts },
        namespaceLabels: (namespace) => informers.namespaces.objects.get(namespace)?.metadata.labels,
      }),
  },
  DynamicResources: {
    points: ['preEnqueue', 'preFilter', 'filter', 'reserve', 'preBind'],
    create: (_, context) => dynamicResources(context),
  },
  DefaultPreemption: {
    points: ['postFilter'],
    create: (args, context) => createDefaultPreemption(args.DefaultPreemption, preemptionParts(context)),
  },
  NodeResourcesBalancedAllocation: {
    points: ['score'],
    create: (args) => createBalancedAllocation(args.NodeResourcesBalancedAllocation),
  },
  ImageLocality: { points: ['score'], create: (_, { cluster }) => createImageLocality(cluster) },
  DefaultBinder: { points: ['bind'], create: (_, { client }) => createDefaultBinder(client) },
};

const skipsDevices = { status: skip('DynamicResources') };
const inert: Plugin = {
  name: 'DynamicResources',
  preEnqueue: () => undefined,
  preFilter: () => skipsDevices,
  filter: () => undefined,
  reserve: () => undefined,
  unreserve: () => undefined,
  preBind: () => Promise.resolve(undefined),
  events: [],
};

/** Reads what informers have. */
const workloadReader = (informers: SchedulerInformers): WorkloadReader => ({
  servicesIn: (namespace) => informers.services.lister.listIn(namespace),
  replicationController: (namespace, name) => informers.replicationControllers.lister.get(namespace, name),
  replicaSet: (namespace, name) => informers.replicaSets.lister.get(namespace, name),
  statefulSet: (namespace, name) => informers.statefulSets.lister.get(namespace, name),
});

/** Nothing without its feature gate: pods with claims are scheduled as if they had none, as upstream. */
function dynamicResources({ informers: { devices }, client, log }: PluginContext): Plugin {
  if (devices === undefined) return inert;
  const { claims, slices, classes } = devices;
  return createDynamicResources({
    claim: (key) => claims.objects.get(key),
    claims: () => claims.objects.values(),
    slices: () => slices.objects.values(),
    deviceClass: (name) => classes.objects.get(name),
    ...{ client, log },
  });
}

function preemptionParts(context: PluginContext): PreemptionParts {
  const { informers, waiting, extenders, cluster, signal } = context;
  return {
    ...context,
    budgets: () => informers.disruptionBudgets.lister.list(),
    narrow: (pod, candidates) => extenders.narrow(pod, candidates, cluster, signal),
    rejectWaiting(uid) {
      const pod = waiting.get(uid);
      pod?.reject('DefaultPreemption', 'preempted');
      return pod !== undefined;
    },
  };
}

export const pluginNames: readonly string[] = Object.keys(registered);

const pointsByName = new Map(Object.entries(registered).map(([name, { points }]) => [name, new Set(points)]));

/** Undefined for a plugin that does not exist. */
export const pluginPoints = (name: string): ReadonlySet<ExtensionPoint> | undefined => pointsByName.get(name);

export function createPlugin(name: string, args: PluginArgs, context: PluginContext): Plugin {
  if (!Object.hasOwn(registered, name)) throw new Error(`there is no scheduler plugin ${name}`);
  return registered[name]!.create(args, context);
}
