/** Makes the plugins of each profile, every plugin once, whatever the number of its extension points. */
import type { PluginArgs } from '../config/plugin-args.ts';
import type { ExtenderConfig, ProfileConfig, SchedulerConfig } from '../config/types.ts';
import { extensionPointNames } from '../framework/extension-point.ts';
import type { SchedulerObserver } from '../framework/observer.ts';
import type { Plugin } from '../framework/plugin.ts';
import { type EnabledPlugins, Profile } from '../framework/profile.ts';
import type { PluginContext } from './plugin-context.ts';
import { createPlugin } from './registry.ts';

/** By scheduler name. */
export function createProfiles(
  { profiles, extenders }: SchedulerConfig,
  context: PluginContext,
  observer: SchedulerObserver,
): ReadonlyMap<string, Profile> {
  return new Map(
    profiles.map((config) => [
      config.schedulerName,
      createProfile({ ...config, args: withoutManaged(config.args, extenders) }, context, observer),
    ]),
  );
}

/** Leaves out resources that an extender accounts for alone (`ignoredByScheduler`). */
export function withoutManaged(
  args: PluginArgs,
  extenders: readonly Pick<ExtenderConfig, 'managedResources'>[],
): PluginArgs {
  const { NodeResourcesFit } = args;
  const managed = extenders.flatMap(({ managedResources }) => managedResources);
  const ignored = managed.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name);
  const ignoredResources = [...NodeResourcesFit.ignoredResources, ...ignored];
  return { ...args, NodeResourcesFit: { ...NodeResourcesFit, ignoredResources } };
}

function createProfile(config: ProfileConfig, context: PluginContext, observer: SchedulerObserver): Profile {
  const { schedulerName, percentageOfNodesToScore, plugins, args } = config;
  const made = new Map<string, Plugin>();
  const make = (name: string): Plugin => {
    let plugin = made.get(name);
    if (plugin === undefined) made.set(name, (plugin = createPlugin(name, args, context)));
    return plugin;
  };
  const enabled = Object.fromEntries(
    extensionPointNames.map((point) => [
      point,
      plugins[point].map(({ name, weight }) => ({ plugin: make(name), weight })),
    ]),
  ) as unknown as EnabledPlugins;
  const { nominated } = context;
  return new Profile({ schedulerName, enabled, percentageOfNodesToScore, nominated, observer });
}
