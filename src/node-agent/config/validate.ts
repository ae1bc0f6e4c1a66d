/** What is wrong with a configuration: values by themselves, and values that exclude each other. */
import { isDeepStrictEqual } from 'node:util';
import { type GateSettings, isGateOn } from '../../api/feature-gates.ts';
import { type FieldError, forbidden, invalid, notSupported } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import { formatDuration, parseDuration } from '../../machinery/duration.ts';
import { type FieldName, fieldsByName, type NodeAgentConfig, valueOf } from './config.ts';
import type { Field } from './field.ts';
import { cpuListProblem } from './reserved-cpus.ts';
import { amountProblem, signals } from './thresholds.ts';

/** A field that is wrong, and how. */
export interface ConfigProblem {
  readonly field: FieldName;
  readonly error: FieldError;
}

/** @param gates as they are set, stages spelled out */
export function validateConfig(config: NodeAgentConfig, gates: GateSettings): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const add = (field: FieldName, error: FieldError): void => void problems.push({ field, error });
  for (const [name, field] of fieldsByName) {
    const error = judge(field, name, valueOf(config, name), gates);
    if (error !== undefined) add(name, error);
  }
  for (const check of [checkImages, checkShutdown, checkReservations, checkThresholds, checkLists])
    for (const [name, why, value] of check(config)) add(name, invalid(pathOf(name), value, why));
  return problems;
}

const pathOf = (name: FieldName): FieldPath => {
  const [first = '', ...rest] = name.split('.');
  return FieldPath.of(first, ...rest);
};

function judge(field: Field, name: FieldName, value: unknown, gates: GateSettings): FieldError | undefined {
  const path = pathOf(name);
  if (isDeepStrictEqual(value, field.default) || value === field.withoutFile) return undefined;
  if (field.gate !== undefined && !isGateOn(field.gate, gates))
    return forbidden(path, `needs feature gate ${field.gate}`);
  if (field.oneOf !== undefined && !field.oneOf.includes(value as string))
    return notSupported(path, value as string, field.oneOf);
  const why = field.range === undefined ? undefined : outOf(field.range, field, value as number);
  return why === undefined ? undefined : invalid(path, shownOf(field, value as number), why);
}

const shownOf = (field: Field, value: number): number | string =>
  field.kind === 'duration' ? formatDuration(Math.round(value * 1e6)) : value;

function outOf([least, most]: readonly [number, number], field: Field, value: number): string | undefined {
  if (value >= least && value <= most) return undefined;
  return most === Infinity
    ? `must be at least ${shownOf(field, least)}`
    : `must be between ${shownOf(field, least)} and ${shownOf(field, most)}`;
}

type Complaint = readonly [field: FieldName, why: string, value: string | number];

function* checkImages(config: NodeAgentConfig): Generator<Complaint> {
  const { imageGCLowThresholdPercent: low, imageGCHighThresholdPercent: high } = config;
  if (low >= high) yield ['imageGCLowThresholdPercent', 'must be less than imageGCHighThresholdPercent', low];
  const { imageMaximumGCAge: most, imageMinimumGCAge: least } = config;
  if (most > 0 && most <= least)
    yield ['imageMaximumGCAge', 'must be greater than imageMinimumGCAge', formatDuration(most * 1e6)];
  if (config.serializeImagePulls && (config.maxParallelImagePulls ?? 1) > 1)
    yield ['maxParallelImagePulls', 'must be 1 while serializeImagePulls is true', config.maxParallelImagePulls!];
}

function* checkShutdown(config: NodeAgentConfig): Generator<Complaint> {
  const { shutdownGracePeriod: all, shutdownGracePeriodCriticalPods: critical } = config;
  if (critical > all)
    yield ['shutdownGracePeriodCriticalPods', 'must not exceed shutdownGracePeriod', formatDuration(critical * 1e6)];
  for (const name of ['shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'] as const)
    if (config[name] !== 0 && config[name] < 1000)
      yield [name, 'must be 0 or at least 1s', formatDuration(config[name] * 1e6)];
  const byPriority = config.shutdownGracePeriodByPodPriority;
  if (byPriority.length > 0 && (all > 0 || critical > 0))
    yield ['shutdownGracePeriodByPodPriority', 'must be empty where shutdownGracePeriod is set', byPriority.length];
}

const reservable = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid']);

function* checkReservations(config: NodeAgentConfig): Generator<Complaint> {
  for (const name of ['systemReserved', 'kubeReserved'] as const)
    for (const [resource, amount] of Object.entries(config[name])) {
      if (!reservable.has(resource)) yield [name, `cannot reserve ${JSON.stringify(resource)} resource`, resource];
      else if (!isAmount(amount)) yield [name, `${resource} must be a quantity that is not negative`, amount];
    }
  const { reservedSystemCPUs: cpus } = config;
  const why = cpuListProblem(cpus);
  if (why !== undefined) yield ['reservedSystemCPUs', why, cpus];
  for (const name of ['systemReservedCgroup', 'kubeReservedCgroup'] as const)
    if (cpus !== '' && config[name] !== '') yield ['reservedSystemCPUs', `can't be used with ${name}`, cpus];
  for (const { limits = {} } of config.reservedMemory)
    for (const [type, amount] of Object.entries(limits)) {
      if (type !== 'memory' && !type.startsWith('hugepages-'))
        yield ['reservedMemory', 'must be memory or huge pages', type];
      else if (!isAmount(amount) || parseQuantity(amount).sign() === 0)
        yield ['reservedMemory', `${type} must be a quantity greater than zero`, amount];
    }
}

function isAmount(text: string): boolean {
  try {
    return parseQuantity(text).sign() >= 0;
  } catch {
    return false;
  }
}

function isTime(text: string): boolean {
  try {
    return parseDuration(text) >= 0n;
  } catch {
    return false;
  }
}

function* checkThresholds(config: NodeAgentConfig): Generator<Complaint> {
  for (const name of ['evictionHard', 'evictionSoft', 'evictionMinimumReclaim'] as const)
    for (const [signal, amount] of Object.entries(config[name])) {
      if (!signals.has(signal)) yield [name, `${JSON.stringify(signal)} is no signal of eviction`, signal];
      const why = amountProblem(amount);
      if (why !== undefined) yield [name, `${signal}: ${why}`, amount];
    }
  for (const signal of Object.keys(config.evictionSoft))
    if (config.evictionSoftGracePeriod[signal] === undefined)
      yield ['evictionSoft', 'must have a grace period in evictionSoftGracePeriod', signal];
  for (const [signal, time] of Object.entries(config.evictionSoftGracePeriod))
    if (!isTime(time)) yield ['evictionSoftGracePeriod', `${signal} must be a duration that is not negative`, time];
  if (!isAmount(config.containerLogMaxSize))
    yield ['containerLogMaxSize', 'must be a quantity that is not negative', config.containerLogMaxSize];
}

const enforceable = [
  'pods',
  'system-reserved',
  'kube-reserved',
  'system-reserved-compressible',
  'kube-reserved-compressible',
  'none',
];

function* checkLists(config: NodeAgentConfig): Generator<Complaint> {
  for (const name of config.enforceNodeAllocatable)
    if (!enforceable.includes(name)) yield ['enforceNodeAllocatable', `must be one of ${enforceable.join(', ')}`, name];
  const { enforceNodeAllocatable: enforced, cgroupsPerQOS } = config;
  if (enforced.includes('none') && enforced.length > 1)
    yield ['enforceNodeAllocatable', 'must have none alone', enforced.join(',')];
  if (!cgroupsPerQOS && enforced.some((name) => name !== 'none'))
    yield ['enforceNodeAllocatable', 'needs cgroupsPerQOS', enforced.join(',')];
  for (const [part, field] of [
    ['system-reserved', 'systemReservedCgroup'],
    ['kube-reserved', 'kubeReservedCgroup'],
  ] as const) {
    if (enforced.includes(part) && enforced.includes(`${part}-compressible`))
      yield ['enforceNodeAllocatable', `must not have both ${part} and ${part}-compressible`, enforced.join(',')];
    if (config[field] === '' && enforced.some((name) => name.startsWith(part)))
      yield [field, `must be set where enforceNodeAllocatable has ${part}`, ''];
  }
  for (const [resource, share] of Object.entries(config.qosReserved)) {
    if (resource !== 'memory') yield ['qosReserved', 'must be of memory', resource];
    if (!/^(\d{1,2}|100)%$/.test(share)) yield ['qosReserved', 'must be a percentage from 0% to 100%', share];
  }
  if (config.systemCgroups !== '' && config.cgroupRoot === '')
    yield ['systemCgroups', 'needs cgroupRoot', config.systemCgroups];
  if ((config.tlsCertFile === '') !== (config.tlsPrivateKeyFile === ''))
    yield [config.tlsCertFile === '' ? 'tlsCertFile' : 'tlsPrivateKeyFile', 'must be set where the other one is', ''];
  for (const { key, effect, timeAdded } of config.registerWithTaints) {
    if (key === '' || key === undefined) yield ['registerWithTaints', 'must have a key', ''];
    if (!['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(effect ?? ''))
      yield ['registerWithTaints', 'effect must be NoSchedule, PreferNoSchedule or NoExecute', effect ?? ''];
    if (timeAdded !== undefined) yield ['registerWithTaints', 'must not have timeAdded', timeAdded];
  }
}
