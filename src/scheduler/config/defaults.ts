/** The configuration of a scheduler that is given none. */
import { type ExtensionPoint, extensionPointNames } from '../framework/extension-point.ts';
import { pluginPoints } from '../plugins/registry.ts';
import { defaultPluginArgs } from './plugin-args.ts';
import type { ProfileConfig, SchedulerConfig, SchedulerFeatures, WeightedName } from './types.ts';

export const defaultSchedulerName = 'default-scheduler';

/** In the order in which they run, with the weights of those that score; 0 is the default weight, 1. */
export const defaultMultiPoint: readonly WeightedName[] = [
  { name: 'SchedulingGates', weight: 0 },
  { name: 'PrioritySort', weight: 0 },
  { name: 'NodeUnschedulable', weight: 0 },
  { name: 'NodeName', weight: 0 },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodePorts', weight: 0 },
  { name: 'NodeResourcesFit', weight: 1 },
  { name: 'VolumeRestrictions', weight: 0 },
  { name: 'NodeVolumeLimits', weight: 0 },
  { name: 'VolumeBinding', weight: 0 },
  { name: 'VolumeZone', weight: 0 },
  { name: 'PodTopologySpread', weight: 2 },
  { name: 'InterPodAffinity', weight: 2 },
  { name: 'DefaultPreemption', weight: 0 },
  { name: 'NodeResourcesBalancedAllocation', weight: 1 },
  { name: 'ImageLocality', weight: 1 },
  { name: 'DefaultBinder', weight: 0 },
];

/** Those of the feature gates that are on. */
export function multiPointOf({ dynamicResources = false }: SchedulerFeatures = {}): readonly WeightedName[] {
  if (!dynamicResources) return defaultMultiPoint;
  const at = defaultMultiPoint.findIndex(({ name }) => name === 'DefaultPreemption');
  return defaultMultiPoint.toSpliced(at, 0, { name: 'DynamicResources', weight: 0 });
}

/** Each plugin at every point that it has. */
export function expandMultiPoint(plugins: readonly WeightedName[]): Record<ExtensionPoint, WeightedName[]> {
  const expanded = Object.fromEntries(
    extensionPointNames.map((point) => [
      point,
      plugins
        .filter(({ name }) => pluginPoints(name)?.has(point) === true)
        .map(({ name, weight }) => ({ name, weight: weight === 0 ? 1 : weight })),
    ]),
  );
  return expanded as Record<ExtensionPoint, WeightedName[]>;
}

/** Volumes are scored with the gate VolumeCapacityPriority only. */
export const withoutCapacityScore = (plugins: ProfileConfig['plugins']): ProfileConfig['plugins'] => ({
  ...plugins,
  preScore: plugins.preScore.filter(({ name }) => name !== 'VolumeBinding'),
  score: plugins.score.filter(({ name }) => name !== 'VolumeBinding'),
});

export const defaultProfile = (features: SchedulerFeatures = {}): ProfileConfig => ({
  schedulerName: defaultSchedulerName,
  plugins: withoutCapacityScore(expandMultiPoint(multiPointOf(features))),
  args: defaultPluginArgs,
});

export const defaultSchedulerConfig = (features: SchedulerFeatures = {}): SchedulerConfig => ({
  profiles: [defaultProfile(features)],
  percentageOfNodesToScore: 0,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 10,
  extenders: [],
});
