/** How pods are scheduled, from what a configuration document says beside the settings of the process. */
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { defaultProfile, defaultSchedulerConfig } from '../../scheduler/config/defaults.ts';
import type { ProfileConfig, SchedulerConfig } from '../../scheduler/config/types.ts';

/** Throws for what is wrong, and for what this version does not have: a pod must not go where the document forbids. */
export function schedulingConfig(document: JsonObject): SchedulerConfig {
  const usual = defaultSchedulerConfig();
  const { profiles, ...numbers } = document;
  const unknown = Object.keys(numbers).find((name) => !Object.hasOwn(usual, name));
  if (unknown !== undefined) throw new Error(`${unknown} is not supported by this version yet`);
  const config = {
    ...usual,
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, numberOf(name, value)])),
    ...(profiles === undefined ? {} : { profiles: profilesOf(profiles) }),
  };
  const { percentageOfNodesToScore: percentage, podInitialBackoffSeconds: first, podMaxBackoffSeconds: last } = config;
  if (percentage < 0 || percentage > 100)
    throw new Error(`percentageOfNodesToScore: Invalid value: ${percentage}: not in valid range [0-100]`);
  if (first <= 0) throw new Error(`podInitialBackoffSeconds: Invalid value: ${first}: must be greater than 0`);
  if (last < first)
    throw new Error(
      `podMaxBackoffSeconds: Invalid value: ${last}: must be greater than or equal to PodInitialBackoffSeconds`,
    );
  return config;
}

function numberOf(name: string, value: JsonValue | undefined): number {
  if (typeof value !== 'number' && typeof value !== 'bigint')
    throw new Error(`${name}: Invalid value: ${JSON.stringify(value)}: must be a number`);
  return Number(value);
}

function profilesOf(profiles: JsonValue): readonly ProfileConfig[] {
  if (!Array.isArray(profiles) || profiles.length === 0) throw new Error('profiles: Required value');
  return profiles.map((profile, index) => {
    if (!isObject(profile)) throw new Error(`profiles[${index}]: Invalid value: must be an object`);
    const { schedulerName = 'default-scheduler', ...more } = profile;
    if (typeof schedulerName !== 'string' || schedulerName === '')
      throw new Error(`profiles[${index}].schedulerName: Required value`);
    const [unsupported] = Object.keys(more);
    if (unsupported !== undefined)
      throw new Error(`profiles[${index}].${unsupported} is not supported by this version yet`);
    return { ...defaultProfile(), schedulerName };
  });
}
