/**
 * `--feature-gates`: `Gate=true,Other=false`, where `AllAlpha` and `AllBeta` stand for all gates of a stage that are
 * not named themselves.
 *
 * @see {@link https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/ | Feature gates}
 */
import { FEATURE_GATES } from '../../../api/feature-gates.ts';
import type { FeatureGate, GateSettings } from '../../../api/feature-gates.ts';
import { customFlag } from '../flag.ts';
import { parseBool } from '../values.ts';

/**
 * What these gates guard is not implemented yet, or always on: they keep their default, and setting them is refused.
 */
const unsupported: ReadonlySet<string> = new Set([
  'CRDValidationRatcheting',
  'CustomResourceFieldSelectors',
  'DRAAdminAccess',
  'DRAResourceClaimDeviceStatus',
  'MultiCIDRServiceAllocator',
  'PodLogsQuerySplitStreams',
  'ResilientWatchCacheInitialization',
]);

const stageOfGroup: Readonly<Record<string, FeatureGate['stage']>> = { AllAlpha: 'alpha', AllBeta: 'beta' };

function parseGates(text: string): GateSettings {
  return Object.fromEntries(
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
      .map(parseGate),
  );
}

function parseGate(item: string): [string, boolean] {
  const equals = item.indexOf('=');
  // `kube:` names the component in flag files of 1.32, where it is the only one.
  const gate = (equals < 0 ? item : item.slice(0, equals)).trim().replace(/^kube:/, '');
  if (equals < 0) throw new Error(`missing bool value for ${gate}`);
  const text = item.slice(equals + 1).trim();
  const on = readBool(gate, text);
  const known = findGate(gate);
  if (!known && !Object.hasOwn(stageOfGroup, gate)) throw new Error(`unrecognized feature gate: ${gate}`);
  if (known?.locked && known.default !== on)
    throw new Error(`cannot set feature gate ${gate} to ${on}, feature is locked to ${known.default}`);
  if (unsupported.has(gate) && known?.default !== on)
    throw new Error(`feature gate ${gate}=${on} is not supported by this version yet`);
  return [gate, on];
}

function readBool(gate: string, text: string): boolean {
  try {
    return parseBool(text);
  } catch (error) {
    throw new Error(`invalid value of ${gate}=${text}, err: ${(error as Error).message}`);
  }
}

const findGate = (gate: string): FeatureGate | undefined =>
  Object.hasOwn(FEATURE_GATES, gate) ? FEATURE_GATES[gate] : undefined;

/** What was set, `AllAlpha` and `AllBeta` spelled out; a gate's own setting goes before that of its stage. */
export function expandGates(settings: GateSettings): GateSettings {
  const expanded: Record<string, boolean> = {};
  for (const [group, stage] of Object.entries(stageOfGroup)) {
    const on = settings[group];
    if (on === undefined) continue;
    for (const gate of Object.keys(FEATURE_GATES)) if (followsStage(gate, stage)) expanded[gate] = on;
  }
  for (const [gate, on] of Object.entries(settings)) if (findGate(gate)) expanded[gate] = on;
  return expanded;
}

const isOfStage = (gate: string, stage: FeatureGate['stage']): boolean =>
  FEATURE_GATES[gate]!.stage === stage && FEATURE_GATES[gate]!.locked === undefined;

const followsStage = (gate: string, stage: FeatureGate['stage']): boolean =>
  isOfStage(gate, stage) && !unsupported.has(gate);

/** Gates that are generally available will go away, and the flag with them; some do not match their stage here. */
export function gateWarnings(settings: GateSettings): string[] {
  const ofStage = (stage: FeatureGate['stage']): [string, boolean][] =>
    Object.entries(settings).filter(([gate]) => findGate(gate)?.stage === stage);
  return [
    ...ofStage('ga').map(
      ([gate, on]) => `Setting GA feature gate ${gate}=${on}. It will be removed in a future release.`,
    ),
    ...ofStage('deprecated').map(
      ([gate, on]) => `Setting deprecated feature gate ${gate}=${on}. It will be removed in a future release.`,
    ),
    ...Object.entries(stageOfGroup).flatMap(([group, stage]) => stageWarnings(group, stage, settings)),
  ];
}

function stageWarnings(group: string, stage: FeatureGate['stage'], settings: GateSettings): string[] {
  const left = [...unsupported].filter(
    (gate) =>
      isOfStage(gate, stage) &&
      settings[group] !== undefined &&
      settings[group] !== FEATURE_GATES[gate]!.default &&
      !Object.hasOwn(settings, gate),
  );
  return left.length === 0
    ? []
    : [
        `${group}=${settings[group]} does not change feature gates that are not supported by this version ` +
          `yet: ${left.join(', ')}`,
      ];
}

/** For the help: `Name (beta, on)`. */
export const knownGates = (): string[] =>
  Object.entries(FEATURE_GATES).map(([name, gate]) => {
    const change = gate.locked ? ', locked' : unsupported.has(name) ? ', not changeable yet' : '';
    return `${name} (${gate.stage}, ${gate.default ? 'on' : 'off'}${change})`;
  });

export const featureGates = customFlag<GateSettings>(
  'feature-gates',
  'supported',
  {
    default: {},
    help:
      'Gate=true|false, comma separated: switches features that are not settled yet. AllAlpha and AllBeta stand ' +
      `for all gates of that stage. Gates: ${knownGates().join(', ')}.`,
  },
  { type: 'gate=bool', parse: (text, before = {}) => ({ ...before, ...parseGates(text) }), format: () => '' },
);
