/**
 * `--feature-gates`: `Gate=true,Other=false`, where `AllAlpha` and `AllBeta` stand for all gates of a stage that are
 * not named themselves.
 *
 * @see {@link https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/ | Feature gates}
 */
import { DAEMON_FEATURE_GATES, FEATURE_GATES, NODE_FEATURE_GATES } from '../../../api/feature-gates.ts';
import type { FeatureGate, GateSettings } from '../../../api/feature-gates.ts';
import { customFlag, type Flag } from '../flag.ts';
import { parseBool } from '../values.ts';

/** The gates that a program knows. */
export interface GateTable {
  readonly gates: Readonly<Record<string, FeatureGate>>;
  /**
   * What these gates guard is not implemented yet, or always on: they keep their default, and setting them is refused.
   */
  readonly unsupported: ReadonlySet<string>;
}

export const apiServerGates: GateTable = { gates: FEATURE_GATES, unsupported: new Set() };

/** Those of the daemons beside the API server: what a gate of the API guards is there or not as the server has it. */
export const daemonGates: GateTable = {
  gates: { ...FEATURE_GATES, ...DAEMON_FEATURE_GATES },
  unsupported: new Set(),
};

/** What these say to the agent of a node is not done yet. */
const unsupportedOfNodes = Object.keys(NODE_FEATURE_GATES).filter(
  (gate) => !['KubeletRegistrationGetOnExistsOnly', 'RotateKubeletServerCertificate'].includes(gate),
);

/** Those of the agent of a node: where a gate guards a part of pods, the API has it or not. */
export const nodeGates: GateTable = {
  gates: { ...daemonGates.gates, ...NODE_FEATURE_GATES },
  unsupported: new Set([
    ...unsupportedOfNodes,
    'ImageVolume',
    'InPlacePodVerticalScaling',
    'PodLevelResources',
    'ResourceHealthStatus',
    'SupplementalGroupsPolicy',
    'UserNamespacesSupport',
  ]),
};

const stageOfGroup: Readonly<Record<string, FeatureGate['stage']>> = { AllAlpha: 'alpha', AllBeta: 'beta' };

function parseGates(text: string, table: GateTable): GateSettings {
  return Object.fromEntries(
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
      .map((item) => parseGate(item, table)),
  );
}

function parseGate(item: string, table: GateTable): [string, boolean] {
  const equals = item.indexOf('=');
  // `kube:` names the component in flag files of 1.32, where it is the only one.
  const gate = (equals < 0 ? item : item.slice(0, equals)).trim().replace(/^kube:/, '');
  if (equals < 0) throw new Error(`missing bool value for ${gate}`);
  const text = item.slice(equals + 1).trim();
  const on = readBool(gate, text);
  const known = findGate(gate, table);
  if (!known && !Object.hasOwn(stageOfGroup, gate)) throw new Error(`unrecognized feature gate: ${gate}`);
  if (known?.locked && known.default !== on)
    throw new Error(`cannot set feature gate ${gate} to ${on}, feature is locked to ${known.default}`);
  if (table.unsupported.has(gate) && known?.default !== on)
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

const findGate = (gate: string, { gates }: GateTable): FeatureGate | undefined =>
  Object.hasOwn(gates, gate) ? gates[gate] : undefined;

/** What was set, `AllAlpha` and `AllBeta` spelled out; a gate's own setting goes before that of its stage. */
export function expandGates(settings: GateSettings, table = apiServerGates): GateSettings {
  const expanded: Record<string, boolean> = {};
  for (const [group, stage] of Object.entries(stageOfGroup)) {
    const on = settings[group];
    if (on === undefined) continue;
    for (const gate of Object.keys(table.gates)) if (followsStage(gate, stage, table)) expanded[gate] = on;
  }
  for (const [gate, on] of Object.entries(settings)) if (findGate(gate, table)) expanded[gate] = on;
  return expanded;
}

const isOfStage = (gate: string, stage: FeatureGate['stage'], { gates }: GateTable): boolean =>
  gates[gate]!.stage === stage && gates[gate]!.locked === undefined;

const followsStage = (gate: string, stage: FeatureGate['stage'], table: GateTable): boolean =>
  isOfStage(gate, stage, table) && !table.unsupported.has(gate);

/** Gates that are generally available will go away, and the flag with them; some do not match their stage here. */
export function gateWarnings(settings: GateSettings, table = apiServerGates): string[] {
  const ofStage = (stage: FeatureGate['stage']): [string, boolean][] =>
    Object.entries(settings).filter(([gate]) => findGate(gate, table)?.stage === stage);
  return [
    ...ofStage('ga').map(
      ([gate, on]) => `Setting GA feature gate ${gate}=${on}. It will be removed in a future release.`,
    ),
    ...ofStage('deprecated').map(
      ([gate, on]) => `Setting deprecated feature gate ${gate}=${on}. It will be removed in a future release.`,
    ),
    ...Object.entries(stageOfGroup).flatMap(([group, stage]) => stageWarnings(group, stage, settings, table)),
  ];
}

function stageWarnings(group: string, stage: FeatureGate['stage'], settings: GateSettings, table: GateTable): string[] {
  const left = [...table.unsupported].filter(
    (gate) =>
      isOfStage(gate, stage, table) &&
      settings[group] !== undefined &&
      settings[group] !== table.gates[gate]!.default &&
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
export const knownGates = (table = apiServerGates): string[] =>
  Object.entries(table.gates).map(([name, gate]) => {
    const change = gate.locked ? ', locked' : table.unsupported.has(name) ? ', not changeable yet' : '';
    return `${name} (${gate.stage}, ${gate.default ? 'on' : 'off'}${change})`;
  });

export const featureGatesFlag = (table: GateTable): Flag<GateSettings> =>
  customFlag<GateSettings>(
    'feature-gates',
    'supported',
    {
      default: {},
      help:
        'Gate=true|false, comma separated: switches features that are not settled yet. AllAlpha and AllBeta stand ' +
        `for all gates of that stage. Gates: ${knownGates(table).join(', ')}.`,
    },
    {
      type: 'gate=bool',
      parse: (text, before = {}) => ({ ...before, ...parseGates(text, table) }),
      format: () => '',
    },
  );

export const featureGates = featureGatesFlag(apiServerGates);
