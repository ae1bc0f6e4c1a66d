/**
 * How many pods there should be by what pods use.
 * @see {@link https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#algorithm-details | Algorithm}
 */
import type { Container, Pod } from '../../api/gen/types/core-v1.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import { isPodReady, podCondition, timeMs } from '../shared/pod-conditions.ts';

export interface PodMetric {
  /** In thousandths. */
  readonly value: number;
  readonly timestampMs: number;
  /** The time that it is measured over. */
  readonly windowMs: number;
}

/** By the name of the pod. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

export interface UsageOptions {
  readonly tolerance: number;
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
}

export interface UsageInput {
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  readonly currentReplicas: number;
  readonly options: UsageOptions;
  readonly nowMs: number;
  /** Only CPU is not believed of pods that start. */
  readonly isCpu: boolean;
}

interface Proposal {
  readonly replicas: number;
  /** Average use of a pod, in thousandths. */
  readonly average: number;
  /** Percent of what pods asked for. */
  readonly utilization?: number;
}

const noPods = 'no pods returned by selector while calculating replica count';

interface Groups {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  /** Of pods that count. */
  readonly used: Map<string, number>;
}

function group({ pods, metrics, options, nowMs, isCpu }: UsageInput): Groups {
  const unready: string[] = [];
  const missing: string[] = [];
  const used = new Map([...metrics].map(([name, { value }]) => [name, value]));
  let ready = 0;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') used.delete(name);
    else if (pod.status?.phase === 'Pending') {
      unready.push(name);
      used.delete(name);
    } else if (metric === undefined) missing.push(name);
    else if (isCpu && isStarting(pod, metric, options, nowMs)) {
      unready.push(name);
      used.delete(name);
    } else ready++;
  }
  return { ready, unready, missing, used };
}

function isStarting(pod: Pod, metric: PodMetric, options: UsageOptions, nowMs: number): boolean {
  const condition = podCondition(pod, 'Ready');
  const { startTime } = pod.status ?? {};
  if (condition === undefined || startTime === undefined) return true;
  const startMs = timeMs(startTime);
  const changedMs = condition.lastTransitionTime === undefined ? 0 : timeMs(condition.lastTransitionTime);
  const isUnready = condition.status === 'False';
  if (startMs + options.cpuInitializationPeriodMs > nowMs)
    return isUnready || metric.timestampMs < changedMs + metric.windowMs;
  return isUnready && startMs + options.initialReadinessDelayMs > changedMs;
}

interface Rated {
  readonly ratio: number;
  readonly average: number;
  readonly utilization?: number;
}

/**
 * Pods without metrics count as the target when fewer pods are needed, and as idle when more are: what is not known
 * never makes a change larger.
 */
function propose(
  input: UsageInput,
  rate: (used: ReadonlyMap<string, number>) => Rated,
  missingValue: (name: string) => number,
): Proposal {
  const { pods, currentReplicas, options } = input;
  if (pods.length === 0) throw new Error(noPods);
  const { ready, unready, missing, used } = group(input);
  if (used.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, ...shown } = rate(used);
  const isSmall = (change: number): boolean => Math.abs(1 - change) <= options.tolerance;
  const countsUnready = unready.length > 0 && ratio > 1;
  const stay = { replicas: currentReplicas, ...shown };
  if (!countsUnready && missing.length === 0)
    return isSmall(ratio) ? stay : { replicas: Math.ceil(ratio * ready), ...shown };
  for (const name of missing) {
    if (ratio < 1) used.set(name, missingValue(name));
    else if (ratio > 1) used.set(name, 0);
  }
  if (countsUnready) for (const name of unready) used.set(name, 0);
  const { ratio: next } = rate(used);
  if (isSmall(next) || (ratio < 1 && next > 1) || (ratio > 1 && next < 1)) return stay;
  const replicas = Math.ceil(next * used.size);
  const turns = (next < 1 && replicas > currentReplicas) || (next > 1 && replicas < currentReplicas);
  return turns ? stay : { replicas, ...shown };
}

/** By the average of what pods use. @param target in thousandths */
export function replicasByAverage(input: UsageInput, target: number): Proposal {
  const rate = (used: ReadonlyMap<string, number>): Rated => {
    const average = Math.trunc(sum(used.values()) / used.size);
    return { ratio: average / target, average };
  };
  return propose(input, rate, () => target);
}

/** By what pods use of what they asked for. @param target in percent */
export function replicasByUtilization(
  input: UsageInput,
  target: number,
  requests: ReadonlyMap<string, number>,
): Proposal {
  const rate = (used: ReadonlyMap<string, number>): Rated => {
    const known = [...used].filter(([name]) => requests.has(name));
    const total = sum(known.map(([, value]) => value));
    const requested = sum(known.map(([name]) => requests.get(name)!));
    if (requested === 0) throw new Error('no metrics returned matched known pods');
    const utilization = Math.trunc((total * 100) / requested);
    return { ratio: utilization / target, utilization, average: Math.trunc(total / known.length) };
  };
  return propose(input, rate, (name) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100));
}

/** What each pod asks for, in thousandths. Throws where a container says nothing. */
export function requestsOf(pods: readonly Pod[], resource: string, container?: string): Map<string, number> {
  return new Map(
    pods.map((pod) => {
      const { containers = [], initContainers = [] } = pod.spec ?? {};
      const running = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
      const counted = running.filter(({ name }) => container === undefined || name === container);
      const request = ({ name, resources }: Container): number => {
        const text = (resources?.requests as Readonly<Record<string, unknown>> | undefined)?.[resource];
        if (text === undefined)
          throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`);
        return milli(text);
      };
      return [pod.metadata.name!, sum(counted.map(request))];
    }),
  );
}

/** By a number that is not of single pods, such as the length of a queue. */
export function replicasByRatio(
  ratio: number,
  currentReplicas: number,
  pods: readonly Pod[],
  tolerance: number,
): number {
  if (currentReplicas === 0) return Math.ceil(ratio);
  if (Math.abs(1 - ratio) <= tolerance) return currentReplicas;
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${noPods}`);
  return Math.ceil(ratio * pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length);
}

/** By the part of it that each pod should have. */
export const replicasByShare = (value: number, target: number, replicas: number, tolerance: number): number =>
  Math.abs(1 - value / (target * replicas)) > tolerance ? Math.ceil(value / target) : replicas;

export const milli = (text: unknown): number => Number(parseQuantity(String(text)).milliValue());

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
