/** Whether a node has what the pod asks for, and how well it fits. */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { EnqueuePlugin, FilterPlugin, Has, ScorePlugin } from '../framework/plugin.ts';
import type { Status } from '../framework/status.ts';
import { unschedulable } from '../framework/status.ts';
import type { NodeInfo } from '../state/node-info.ts';
import { PodInfo } from '../state/pod-info.ts';
import { type Resources, resourcesOf } from '../state/resources.ts';
import { createResourceScore, type ScoringStrategy } from './shared/resource-score.ts';
import { isSamePod } from './shared/same-pod.ts';

export interface NodeResourcesFitArgs {
  /** Extended resources that are not looked at. */
  readonly ignoredResources: readonly string[];
  readonly ignoredResourceGroups: readonly string[];
  readonly scoringStrategy: ScoringStrategy;
}

const name = 'NodeResourcesFit';
/** The usual reasons, made once. */
const tooManyPods = unschedulable(name, 'Too many pods');
const noCpu = unschedulable(name, 'Insufficient cpu');
const noMemory = unschedulable(name, 'Insufficient memory');

export function createNodeResourcesFit(args: NodeResourcesFitArgs): Has<FilterPlugin & ScorePlugin & EnqueuePlugin> {
  const score = createResourceScore(args.scoringStrategy);
  const isIgnored = ignores(args);
  return {
    name,
    filter: (_, pod, node) => fit(pod, node, isIgnored),
    score: (_, pod, node) => score(pod, node),
    events: [
      { resource: 'AssignedPod', action: actions.delete },
      { resource: 'AssignedPod', action: actions.updatePodScaleDown },
      { resource: 'UnscheduledPod', action: actions.updatePodScaleDown, hint: isSamePod },
      {
        resource: 'Node',
        action: actions.add | actions.updateNodeAllocatable,
        hint: (pod, before, after) => hasMore(pod, before as Node | undefined, after as Node),
      },
    ],
  };
}

const ignores =
  ({ ignoredResources, ignoredResourceGroups }: NodeResourcesFitArgs) =>
  (resource: string): boolean =>
    ignoredResources.includes(resource) || ignoredResourceGroups.includes(resource.split('/')[0]!);

/** What is missing, if anything. */
export function fit(
  { requests }: PodInfo,
  { allocatable, requested, pods }: NodeInfo,
  isIgnored: (resource: string) => boolean,
): Status | undefined {
  const podsFit = pods.size + 1 <= allocatable.pods;
  const cpuFits = requests.milliCpu === 0 || requests.milliCpu <= allocatable.milliCpu - requested.milliCpu;
  const memoryFits = requests.memory === 0 || requests.memory <= allocatable.memory - requested.memory;
  const storageFits =
    requests.ephemeralStorage === 0 ||
    requests.ephemeralStorage <= allocatable.ephemeralStorage - requested.ephemeralStorage;
  if (podsFit && cpuFits && memoryFits && storageFits && requests.scalars === undefined) return undefined;
  const scalars = missingScalars(requests, allocatable, requested, isIgnored);
  if (storageFits && scalars.length === 0) {
    if (podsFit && cpuFits && memoryFits) return undefined;
    if (cpuFits && memoryFits) return tooManyPods;
    if (podsFit && memoryFits) return noCpu;
    if (podsFit && cpuFits) return noMemory;
  }
  const missing = [
    ...(podsFit ? [] : ['Too many pods']),
    ...(cpuFits ? [] : ['Insufficient cpu']),
    ...(memoryFits ? [] : ['Insufficient memory']),
    ...(storageFits ? [] : ['Insufficient ephemeral-storage']),
    ...scalars.map((resource) => `Insufficient ${resource}`),
  ];
  return unschedulable(name, ...missing);
}

function missingScalars(
  { scalars }: Resources,
  allocatable: Resources,
  requested: Resources,
  isIgnored: (resource: string) => boolean,
): string[] {
  const missing: string[] = [];
  for (const [resource, amount] of scalars ?? [])
    if (amount > 0 && amount > allocatable.get(resource) - requested.get(resource) && !isIgnored(resource))
      missing.push(resource);
  return missing;
}

/** The node could take the pod if it were empty, and has more than before of something that the pod asks for. */
function hasMore(pod: Pod, before: Node | undefined, after: Node): boolean {
  const { requests } = new PodInfo(pod);
  const now = resourcesOf(after.status.allocatable);
  const names = ['cpu', 'memory', 'ephemeral-storage', ...(requests.scalars?.keys() ?? [])];
  if (now.pods < 1 || names.some((resource) => requests.get(resource) > now.get(resource))) return false;
  if (before === undefined) return true;
  const then = resourcesOf(before.status.allocatable);
  return (
    now.pods > then.pods ||
    names.some((resource) => requests.get(resource) > 0 && now.get(resource) > then.get(resource))
  );
}
