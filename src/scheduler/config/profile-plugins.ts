/**
 * Which plugins a profile has at which extension points:
 *
 * 1. The default plugins, each at all of its points, without those that `multiPoint` disables; those that it enables
 *    take their place there or come after them.
 * 2. At each point, what the point disables goes, and what it enables comes. A plugin that it enables and that
 *    `multiPoint` has too stands before the rest, with the weight that the point gives it.
 * @see {@link https://kubernetes.io/docs/reference/scheduling/config/#multipoint | MultiPoint}
 */
import { invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { type ExtensionPoint, extensionPointNames } from '../framework/extension-point.ts';
import { pluginPoints } from '../plugins/registry.ts';
import { multiPointOf } from './defaults.ts';
import type { PluginsDocument, PluginSetDocument } from './document.ts';
import type { ProfileConfig, SchedulerFeatures, WeightedName } from './types.ts';

const all = '*';

export function resolvePlugins(
  plugins: PluginsDocument,
  schedulerName: string,
  path: FieldPath,
  errors: FieldErrors,
  features: SchedulerFeatures = {},
): ProfileConfig['plugins'] {
  checkNames(plugins, path, errors);
  const multiPoint = mergeMultiPoint(plugins.multiPoint ?? {}, multiPointOf(features));
  const resolved = Object.fromEntries(
    extensionPointNames.map((point) => [point, pluginsAt(point, multiPoint, plugins[point] ?? {})]),
  ) as Record<ExtensionPoint, WeightedName[]>;
  checkNeeded(resolved, schedulerName, path, errors);
  return resolved;
}

const enabledOf = ({ enabled = [] }: PluginSetDocument): WeightedName[] =>
  enabled.map(({ name = '', weight = 0 }) => ({ name, weight }));

const disabledOf = ({ disabled = [] }: PluginSetDocument): ReadonlySet<string> =>
  new Set(disabled.map(({ name = '' }) => name));

function mergeMultiPoint(set: PluginSetDocument, defaults: readonly WeightedName[]): WeightedName[] {
  const disabled = disabledOf(set);
  const enabled = enabledOf(set);
  const kept = disabled.has(all) ? [] : defaults.filter(({ name }) => !disabled.has(name));
  const replaced = kept.map((plugin) => enabled.find(({ name }) => name === plugin.name) ?? plugin);
  return [...replaced, ...enabled.filter(({ name }) => !replaced.some((plugin) => plugin.name === name))];
}

function pluginsAt(point: ExtensionPoint, multiPoint: readonly WeightedName[], set: PluginSetDocument): WeightedName[] {
  const disabled = disabledOf(set);
  const own = enabledOf(set);
  const isOwn = (plugin: string): boolean => own.some(({ name }) => name === plugin);
  const shared = multiPoint.filter(({ name }) => pluginPoints(name)?.has(point) === true);
  const expanded = disabled.has(all) ? [] : shared.filter(({ name }) => !disabled.has(name) && !isOwn(name));
  const overriding = own.filter(({ name }) => shared.some((plugin) => plugin.name === name));
  const others = own.filter(({ name }) => !shared.some((plugin) => plugin.name === name));
  return [...overriding, ...expanded, ...others].map(({ name, weight }) => ({
    name,
    weight: weight === 0 ? 1 : weight,
  }));
}

function checkNames(plugins: PluginsDocument, path: FieldPath, errors: FieldErrors): void {
  for (const [point, set] of Object.entries(plugins))
    set.enabled?.forEach(({ name = '' }, i) => {
      const points = pluginPoints(name);
      const at = path.child(point).child('enabled').index(i);
      if (points === undefined) errors.push(invalid(at, name, `plugin ${goQuote(name)} does not exist`));
      else if (point !== 'multiPoint' && !points.has(point as ExtensionPoint))
        errors.push(invalid(at, name, `plugin ${goQuote(name)} does not extend ${point} plugin`));
    });
}

function checkNeeded(
  { queueSort, bind }: ProfileConfig['plugins'],
  schedulerName: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const profile = `profile with scheduler name ${goQuote(schedulerName)}`;
  if (queueSort.length !== 1) {
    const why = `only one queue sort plugin required for ${profile}, but got ${queueSort.length}`;
    errors.push(invalid(path.child('queueSort'), queueSort.length, why));
  }
  if (bind.length === 0)
    errors.push(invalid(path.child('bind'), 0, `at least one bind plugin is needed for ${profile}`));
}
