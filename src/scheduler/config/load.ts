/**
 * Reads a `KubeSchedulerConfiguration`: YAML or JSON, judged as a whole, with the path of each field that is wrong.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/ | kube-scheduler configuration}
 */
import { aggregateText, duplicate, invalid, required } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isEqual } from '../../machinery/equal.ts';
import { hasArgs, readArgs } from './args.ts';
import { defaultSchedulerName, withoutCapacityScore } from './defaults.ts';
import { type ProfileDocument, readDocument, type SchedulerDocument } from './document.ts';
import { capacityShape, defaultPluginArgs, type PluginArgs } from './plugin-args.ts';
import { resolvePlugins } from './profile-plugins.ts';
import { readExtenders } from './read-extenders.ts';
import { readProcess } from './read-process.ts';
import type { ExtenderConfig, ProcessConfig, ProfileConfig, SchedulerConfig, SchedulerFeatures } from './types.ts';

/** What the scheduler does, and what the process around it does. */
export interface LoadedConfig {
  readonly scheduler: SchedulerConfig;
  readonly process: ProcessConfig;
}

/** Throws an Error whose message names the fields that are wrong. */
export function loadSchedulerConfig(text: string, features: SchedulerFeatures = {}): LoadedConfig {
  const document = readDocument(text);
  const errors = new FieldErrors();
  const process = readProcess(document, errors);
  const scheduler = readScheduler(document, errors, features);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return { scheduler, process };
}

function readScheduler(document: SchedulerDocument, errors: FieldErrors, features: SchedulerFeatures): SchedulerConfig {
  const { profiles = [{}], extenders = [], percentageOfNodesToScore = 0 } = document;
  const { podInitialBackoffSeconds = 1, podMaxBackoffSeconds = 10 } = document;
  const path = FieldPath.of('profiles');
  if (profiles.length === 0) errors.push(required(path));
  const read = profiles.map((profile, i) =>
    readProfile(
      profiles.length === 1 ? { schedulerName: defaultSchedulerName, ...profile } : profile,
      path.index(i),
      errors,
      features,
    ),
  );
  checkProfiles(read, path, errors);
  checkPercentage(percentageOfNodesToScore, FieldPath.of('percentageOfNodesToScore'), errors);
  if (podInitialBackoffSeconds <= 0)
    errors.push(invalid(FieldPath.of('podInitialBackoffSeconds'), podInitialBackoffSeconds, 'must be greater than 0'));
  if (podMaxBackoffSeconds < podInitialBackoffSeconds) {
    const why = 'must be greater than or equal to PodInitialBackoffSeconds';
    errors.push(invalid(FieldPath.of('podMaxBackoffSeconds'), podMaxBackoffSeconds, why));
  }
  const readExtended = readExtenders(extenders, FieldPath.of('extenders'), errors);
  return {
    profiles: read.map((profile) => withoutResourcesOf(readExtended, profile)),
    percentageOfNodesToScore,
    podInitialBackoffSeconds,
    podMaxBackoffSeconds,
    extenders: readExtended,
  };
}

/** Resources that an extender counts are not counted by the scheduler. */
function withoutResourcesOf(extenders: readonly ExtenderConfig[], profile: ProfileConfig): ProfileConfig {
  const ignored = extenders
    .flatMap(({ managedResources }) => managedResources)
    .filter(({ ignoredByScheduler }) => ignoredByScheduler)
    .map(({ name }) => name);
  if (ignored.length === 0) return profile;
  const { NodeResourcesFit: fit } = profile.args;
  const ignoredResources = [...fit.ignoredResources, ...ignored];
  return { ...profile, args: { ...profile.args, NodeResourcesFit: { ...fit, ignoredResources } } };
}

function checkPercentage(value: number, path: FieldPath, errors: FieldErrors): void {
  if (value < 0 || value > 100) errors.push(invalid(path, value, 'not in valid range [0-100]'));
}

function readProfile(
  document: ProfileDocument,
  path: FieldPath,
  errors: FieldErrors,
  features: SchedulerFeatures,
): ProfileConfig {
  const { schedulerName = '', percentageOfNodesToScore, plugins = {}, pluginConfig = [] } = document;
  if (schedulerName === '') errors.push(required(path.child('schedulerName')));
  if (percentageOfNodesToScore !== undefined)
    checkPercentage(percentageOfNodesToScore, path.child('percentageOfNodesToScore'), errors);
  const resolved = resolvePlugins(plugins, schedulerName, path.child('plugins'), errors, features);
  return {
    schedulerName,
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
    plugins: features.volumeCapacityPriority ? resolved : withoutCapacityScore(resolved),
    args: readPluginConfig(pluginConfig, path.child('pluginConfig'), errors, features),
  };
}

function readPluginConfig(
  configs: NonNullable<ProfileDocument['pluginConfig']>,
  path: FieldPath,
  errors: FieldErrors,
  features: SchedulerFeatures,
): PluginArgs {
  const seen = new Set<string>();
  const args: Record<string, unknown> = { ...defaultPluginArgs };
  if (features.volumeCapacityPriority)
    args['VolumeBinding'] = { ...defaultPluginArgs.VolumeBinding, shape: capacityShape };
  configs.forEach(({ name = '', args: given }, i) => {
    const at = path.index(i);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    if (hasArgs(name)) args[name] = readArgs(name, given, at.child('args'), errors, features);
  });
  return args as unknown as PluginArgs;
}

function checkProfiles(profiles: readonly ProfileConfig[], path: FieldPath, errors: FieldErrors): void {
  profiles.forEach(({ schedulerName, plugins }, i) => {
    const same = profiles.findIndex((other) => other.schedulerName === schedulerName);
    if (same < i) {
      const first = path.index(same).child('schedulerName').toString();
      errors.push(duplicate(path.index(i).child('schedulerName'), first));
    }
    if (!isEqual(plugins.queueSort, profiles[0]!.plugins.queueSort)) {
      const shown = plugins.queueSort.map(({ name }) => name).join(' ');
      errors.push(invalid(path.index(i).child('plugins', 'queueSort'), shown, 'must be the same for all profiles'));
    }
  });
}
