/**
 * `--runtime-config`: which of the built-in API versions and resources are served. `api/all`, `api/ga`, `api/beta` and
 * `api/alpha` switch by maturity, `group/version` one version, `group/version/resource` one resource; the more exact
 * word decides, wherever it stands.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/#enabling-or-disabling | Enabling or disabling API groups}
 */
import type { GroupVersionInfo } from '../../api/resources.ts';
import { customFlag } from './flag.ts';
import type { Flag, FlagOptions, Support } from './flag.ts';
import { parseBool } from './values.ts';

export type RuntimeConfig = ReadonlyMap<string, string>;

export const runtimeConfig = (name: string, support: Support, options: FlagOptions): Flag<RuntimeConfig> =>
  customFlag<RuntimeConfig>(
    name,
    support,
    { ...options, default: new Map() },
    {
      type: 'key=bool',
      parse: (text, before = new Map()) => new Map([...before, ...text.split(',').filter(Boolean).map(parseItem)]),
      format: () => '',
    },
  );

/** A key without a value switches on. */
function parseItem(item: string): [string, string] {
  const equals = item.indexOf('=');
  return equals < 0 ? [item.trim(), ''] : [item.slice(0, equals).trim(), item.slice(equals + 1).trim()];
}

const maturities: readonly { readonly key: string; readonly matches: (version: string) => boolean }[] = [
  { key: 'api/all', matches: () => true },
  { key: 'api/ga', matches: (version) => /^v\d+$/.test(version) },
  { key: 'api/beta', matches: (version) => /^v\d+beta\d+$/.test(version) },
  { key: 'api/alpha', matches: (version) => /^v\d+alpha\d+$/.test(version) },
];
const isMaturity = (key: string): boolean => maturities.some((maturity) => maturity.key === key);

/**
 * What is served of `available`, in its order; versions of which nothing is left are gone. Expects a config without
 * {@link runtimeConfigProblems}.
 */
export function servedVersions(config: RuntimeConfig, available: readonly GroupVersionInfo[]): GroupVersionInfo[] {
  return available.map((info) => restrict(config, info)).filter(({ resources }) => resources.length > 0);
}

function restrict(config: RuntimeConfig, info: GroupVersionInfo): GroupVersionInfo {
  const served = switchOf(config, versionKeys(info)) ?? maturitySwitch(config, info.version) ?? info.enabledByDefault;
  const resources = info.resources.filter(
    ({ name }) =>
      switchOf(
        config,
        versionKeys(info).map((key) => `${key}/${name}`),
      ) ?? served,
  );
  return resources.length === info.resources.length ? info : { ...info, resources };
}

/** The core group is written `v1` or `api/v1`. */
const versionKeys = ({ group, version, apiVersion }: GroupVersionInfo): string[] =>
  group === '' ? [version, `api/${version}`] : [apiVersion];

const switchOf = (config: RuntimeConfig, keys: readonly string[]): boolean | undefined => {
  const value = keys.map((key) => config.get(key)).find((found) => found !== undefined);
  return value === undefined ? undefined : isOn(value);
};

const maturitySwitch = (config: RuntimeConfig, version: string): boolean | undefined =>
  switchOf(
    config,
    maturities
      .filter(({ matches }) => matches(version))
      .map(({ key }) => key)
      .reverse(),
  );

const isOn = (value: string): boolean => value === '' || parseBool(value);

/** An error text per invalid entry. */
export function runtimeConfigProblems(config: RuntimeConfig, available: readonly GroupVersionInfo[]): string[] {
  const onlyOff = config.size === 1 && config.get('api/all') === 'false';
  const problems = onlyOff ? ['invalid key with only api/all=false'] : [];
  return [...problems, ...[...config].flatMap(([key, value]) => itemProblem(key, value, available) ?? [])];
}

function itemProblem(key: string, value: string, available: readonly GroupVersionInfo[]): string | undefined {
  if (isMaturity(key)) return ['', 'true', 'false'].includes(value) ? undefined : `invalid value ${key}=${value}`;
  const { group, version, parts } = readKey(key);
  if (version === undefined || parts > 3) return `runtime-config invalid key ${key}`;
  if (!available.some((info) => info.group === group)) return `unknown api groups ${group}`;
  if (!available.some((info) => info.group === group && info.version === version))
    return `group version ${group === '' ? version : `${group}/${version}`} that has not been registered`;
  return valueProblem(key, value);
}

function valueProblem(key: string, value: string): string | undefined {
  try {
    isOn(value);
    return undefined;
  } catch (error) {
    return `invalid value of ${key}: ${value}, err: ${(error as Error).message}`;
  }
}

interface Key {
  readonly group: string;
  readonly version: string | undefined;
  readonly resource: string | undefined;
  /** How many words the key has when its group is written out. */
  readonly parts: number;
}

function readKey(key: string): Key {
  const words = key.split('/');
  const full = /^v\d/.test(words[0]!)
    ? ['', ...words]
    : words[0] === 'api' && /^v\d/.test(words[1] ?? '')
      ? ['', ...words.slice(1)]
      : words;
  const [group = '', version, resource] = full;
  return { group, version, resource, parts: full.length };
}

/** A sentence per resource that no version has: upstream starts all the same. */
export function runtimeConfigWarnings(config: RuntimeConfig, available: readonly GroupVersionInfo[]): string[] {
  return [...config.keys()]
    .filter((key) => !isMaturity(key))
    .map((key) => ({ key, ...readKey(key) }))
    .filter(
      ({ group, version, resource }) =>
        resource !== undefined &&
        !available.some(
          (info) =>
            info.group === group && info.version === version && info.resources.some(({ name }) => name === resource),
        ),
    )
    .map(({ key }) => `ignoring invalid key ${key} in --runtime-config: there is no such resource`);
}
