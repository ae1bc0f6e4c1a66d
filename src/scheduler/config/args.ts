/** From the arguments that a profile has to those that plugins get: defaults filled in, every value judged. */
import type { TopologySpreadConstraint } from '../../api/gen/types/core-v1.ts';
import { checkNodeSelector, checkNodeSelectorTerm } from '../../api/core/pods/node-selector.ts';
import { checkLabelName } from '../../api/meta/labels.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import type { WeightedResource } from '../plugins/shared/resource-score.ts';
import { type ArgsDocuments, argsShapes, type ResourceDocument } from './document.ts';
import type { SchedulerFeatures } from './types.ts';
import { capacityPriority, capacityShape, defaultPluginArgs, type PluginArgs } from './plugin-args.ts';
import { checkRange, readPoints, readStrategy } from './scoring-strategy.ts';
import { readShape } from '../../machinery/document-shape.ts';

type Reader<N extends keyof PluginArgs> = (
  document: ArgsDocuments[N],
  path: FieldPath,
  errors: FieldErrors,
  features: SchedulerFeatures,
) => PluginArgs[N];

const readers: { readonly [N in keyof PluginArgs]: Reader<N> } = {
  DefaultPreemption(document, path, errors) {
    const args = { ...defaultPluginArgs.DefaultPreemption, ...document };
    const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = args;
    const atPercentage = path.child('minCandidateNodesPercentage');
    const atAbsolute = path.child('minCandidateNodesAbsolute');
    checkRange(percentage, [0, 100], atPercentage, errors);
    if (absolute < 0) errors.push(invalid(atAbsolute, absolute, 'not in valid range [0, inf)'));
    if (percentage === 0 && absolute === 0)
      errors.push(
        invalid(atPercentage, 0, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
        invalid(atAbsolute, 0, 'cannot be zero at the same time as minCandidateNodesPercentage'),
      );
    return args;
  },
  InterPodAffinity(document, path, errors) {
    const args = { ...defaultPluginArgs.InterPodAffinity, ...document };
    checkRange(args.hardPodAffinityWeight, [0, 100], path.child('hardPodAffinityWeight'), errors);
    return args;
  },
  NodeAffinity(document, path, errors) {
    const { addedAffinity = {} } = document;
    const { requiredDuringSchedulingIgnoredDuringExecution: selector } = addedAffinity;
    const { preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } = addedAffinity;
    const at = path.child('addedAffinity');
    const rules = { allowInvalidValues: false };
    if (selector !== undefined)
      checkNodeSelector(selector, at.child('requiredDuringSchedulingIgnoredDuringExecution'), errors, rules);
    preferred.forEach(({ preference }, i) =>
      checkNodeSelectorTerm(
        preference,
        at.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('preference'),
        errors,
        rules,
      ),
    );
    return document;
  },
  NodeResourcesBalancedAllocation(document, path, errors) {
    const resources = readResources(document.resources) ?? defaultPluginArgs.NodeResourcesBalancedAllocation.resources;
    const names = resources.map(({ name }) => name);
    resources.forEach(({ name, weight }, i) => {
      const at = path.child('resources').index(i);
      if (names.indexOf(name) < i) errors.push(duplicate(at.child('name'), name));
      if (weight !== 1) errors.push(invalid(at.child('weight'), weight, 'must be 1'));
    });
    return { resources };
  },
  NodeResourcesFit({ ignoredResources = [], ignoredResourceGroups = [], scoringStrategy }, path, errors) {
    ignoredResources.forEach((name, i) => checkLabelName(name, path.child('ignoredResources').index(i), errors));
    ignoredResourceGroups.forEach((group, i) => {
      const at = path.child('ignoredResourceGroups').index(i);
      if (group.includes('/')) errors.push(invalid(at, group, "resource group name can't contain '/'"));
      checkLabelName(group, at, errors);
    });
    const strategy = readStrategy(scoringStrategy, path.child('scoringStrategy'), errors);
    return { ignoredResources, ignoredResourceGroups, scoringStrategy: strategy };
  },
  PodTopologySpread({ defaultConstraints = [], defaultingType = 'System' }, path, errors) {
    const at = path.child('defaultingType');
    const types = ['List', 'System'];
    if (!types.includes(defaultingType)) errors.push(notSupported(at, defaultingType, types));
    if (defaultingType === 'System' && defaultConstraints.length > 0)
      errors.push(invalid(at, defaultingType, 'when .defaultConstraints are not empty'));
    checkConstraints(defaultConstraints, path.child('defaultConstraints'), errors);
    return { defaultConstraints, defaultingType: defaultingType as 'System' | 'List' };
  },
  VolumeBinding({ bindTimeoutSeconds, shape }, path, errors, features) {
    const seconds = bindTimeoutSeconds ?? defaultPluginArgs.VolumeBinding.bindTimeoutSeconds;
    if (seconds < 0) {
      const why = 'invalid BindTimeoutSeconds, should not be a negative value';
      errors.push(invalid(path.child('bindTimeoutSeconds'), seconds, why));
    }
    if (features.volumeCapacityPriority) {
      const points =
        shape === undefined || shape.length === 0 ? capacityShape : readPoints(shape, path.child('shape'), errors);
      return { bindTimeoutSeconds: seconds, shape: points };
    }
    if (shape !== undefined) errors.push(forbidden(path.child('shape'), needsCapacityPriority));
    return { bindTimeoutSeconds: seconds };
  },
};

const needsCapacityPriority = `unexpected field \`shape\`, remove it or turn on the feature gate ${capacityPriority}`;

/** Undefined when the defaults are to be taken. */
const readResources = (resources: readonly ResourceDocument[] | undefined): readonly WeightedResource[] | undefined =>
  resources === undefined || resources.length === 0
    ? undefined
    : resources.map(({ name = '', weight = 0 }) => ({ name, weight: weight === 0 ? 1 : weight }));

const unsatisfiableActions = ['DoNotSchedule', 'ScheduleAnyway'];

function checkConstraints(all: readonly TopologySpreadConstraint[], path: FieldPath, errors: FieldErrors): void {
  all.forEach(({ maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', labelSelector }, i) => {
    const at = path.index(i);
    if (maxSkew <= 0) errors.push(invalid(at.child('maxSkew'), maxSkew, 'not in valid range (0, inf)'));
    if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
    else checkLabelName(topologyKey, at.child('topologyKey'), errors);
    const action = at.child('whenUnsatisfiable');
    if (whenUnsatisfiable === '') errors.push(required(action, 'can not be empty'));
    else if (!unsatisfiableActions.includes(whenUnsatisfiable))
      errors.push(notSupported(action, whenUnsatisfiable, unsatisfiableActions));
    if (labelSelector !== undefined) {
      const why = 'constraint must not define a selector, as they deduced for each pod';
      errors.push(forbidden(at.child('labelSelector'), why));
    }
    const isRepeated = all
      .slice(0, i)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (isRepeated) errors.push(duplicate(at, `{${topologyKey}, ${whenUnsatisfiable}}`));
  });
}

export const hasArgs = (plugin: string): plugin is keyof PluginArgs => Object.hasOwn(readers, plugin);

const argsVersions = ['kubescheduler.config.k8s.io/v1', 'kubescheduler.config.orch.io/v1'];

/** @param value as the document has it, with or without apiVersion and kind */
export function readArgs<N extends keyof PluginArgs>(
  plugin: N,
  value: unknown,
  path: FieldPath,
  errors: FieldErrors,
  features: SchedulerFeatures,
): PluginArgs[N] {
  const { apiVersion, kind, ...members } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isOurs =
    (apiVersion === undefined || argsVersions.includes(apiVersion as string)) &&
    (kind === undefined || kind === `${plugin}Args`);
  if (!isOurs) errors.push(invalid(path, String(kind), 'has to match plugin args'));
  const before = errors.length;
  const document = readShape(members, argsShapes[plugin], path, errors) as ArgsDocuments[N];
  return errors.length > before
    ? defaultPluginArgs[plugin]
    : (readers[plugin] as Reader<N>)(document, path, errors, features);
}
