/**
 * Options of the CPU manager's policy `static`.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/#cpu-policy-static--options |
 *   Static policy options}
 */
import { type GateSettings, isGateOn } from '../../../api/feature-gates.ts';
import { booleanOption, OptionError } from '../policy-options.ts';

export interface CpuOptions {
  /** CPUs are handed out as whole cores only. */
  readonly fullCores: boolean;
  /** From several NUMA nodes in equal parts. */
  readonly spreadsOverNuma: boolean;
  /** A socket is as good as a NUMA node. */
  readonly alignsBySocket: boolean;
  /** From as many cores as there are. */
  readonly spreadsOverCores: boolean;
  /** Shared CPUs are without the reserved ones. */
  readonly reservesStrictly: boolean;
  /** From as few shared caches as possible. */
  readonly prefersUncore: boolean;
}

const rows: Readonly<Record<string, readonly [member: keyof CpuOptions, stage: 'Alpha' | 'Beta']>> = {
  'full-pcpus-only': ['fullCores', 'Beta'],
  'distribute-cpus-across-numa': ['spreadsOverNuma', 'Alpha'],
  'align-by-socket': ['alignsBySocket', 'Alpha'],
  'distribute-cpus-across-cores': ['spreadsOverCores', 'Alpha'],
  'strict-cpu-reservation': ['reservesStrictly', 'Alpha'],
  'prefer-align-cpus-by-uncorecache': ['prefersUncore', 'Alpha'],
};

export const noCpuOptions: CpuOptions = {
  fullCores: false,
  spreadsOverNuma: false,
  alignsBySocket: false,
  spreadsOverCores: false,
  reservesStrictly: false,
  prefersUncore: false,
};

const exclusive: readonly (readonly [string, string])[] = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
];

/** Throws an `OptionError`. */
export function parseCpuOptions(options: Readonly<Record<string, string>>, gates: GateSettings): CpuOptions {
  const parsed: { -readonly [K in keyof CpuOptions]: boolean } = { ...noCpuOptions };
  for (const [name, value] of Object.entries(options)) {
    const row = rows[name];
    if (row === undefined) throw new OptionError(`unknown CPU Manager Policy option: "${name}"`);
    const [member, stage] = row;
    if (!isGateOn(`CPUManagerPolicy${stage}Options`, gates))
      throw new OptionError(`CPU Manager Policy ${stage}-level Options not enabled, but option "${name}" provided`);
    parsed[member] = booleanOption(name, value);
  }
  for (const [a, b] of exclusive)
    if (parsed[rows[a]![0]] && parsed[rows[b]![0]])
      throw new OptionError(`static policy options ${a} and ${b} can not be used at the same time`);
  return parsed;
}
