/**
 * What a pod asks for and may use as a whole, as quota, scheduler and node agent count it.
 *
 * @see {@link https://kep.k8s.io/753 | KEP-753} for sidecars, {@link https://kep.k8s.io/688 | KEP-688} for overhead,
 *   {@link https://kep.k8s.io/1287 | KEP-1287} for resizes, {@link https://kep.k8s.io/2837 | KEP-2837} for resources of
 *   the pod
 */
import type { Container, ContainerStatus, Pod, PodSpec } from '../../gen/types/core-v1.ts';
import type { Quantity } from '../../../machinery/quantity.ts';
import { createMap } from '../../../machinery/value.ts';
import { quantityOf } from '../resources/quantities.ts';
import { isSidecar } from './container-list.ts';

/** Amounts by resource name. */
export type ResourceSums = Map<string, Quantity>;

export interface PodResourcesOptions {
  /** Whether `spec.resources` replaces the sums of its containers: feature gate PodLevelResources. */
  readonly podLevel: boolean;
  /**
   * Whether a container counts with what it has when that is more than what it asks for: feature gate
   * InPlacePodVerticalScaling.
   */
  readonly fromStatus: boolean;
  /** Whether the overhead of the pod's runtime class is added. */
  readonly overhead: boolean;
  /** What a container counts with where it names nothing. */
  readonly missing?: Readonly<Record<string, string>>;
}

type PodResources = { readonly spec: PodSpec; readonly status?: Pod['status'] | undefined };
type Part = 'requests' | 'limits';
type Amounts = Readonly<Record<string, string>> | undefined;

/** Resources that a pod can have as a whole. */
export const podLevelResources = ['cpu', 'memory'] as const;

export const isPodLevelResource = (name: string): boolean => (podLevelResources as readonly string[]).includes(name);

/** Whether `spec.resources` names a resource that counts for the pod as a whole. */
export const hasPodLevelResources = ({ resources }: PodSpec): boolean =>
  podLevelResources.some(
    (name) => resources?.requests?.[name] !== undefined || resources?.limits?.[name] !== undefined,
  );

/** What a node sets aside for the pod. */
export function podRequests(pod: PodResources, options: PodResourcesOptions): ResourceSums {
  const requests = podSums(pod, 'requests', options);
  if (options.overhead) addAll(requests, pod.spec.overhead);
  return requests;
}

/** What the pod may use. Overhead is added to limits that exist: without a limit the pod may use any amount. */
export function podLimits(pod: PodResources, options: PodResourcesOptions): ResourceSums {
  const limits = podSums(pod, 'limits', options);
  const { overhead = {} } = pod.spec;
  if (options.overhead)
    for (const name of Object.keys(overhead))
      if (limits.get(name)?.isZero() === false) addAll(limits, { [name]: overhead[name]! });
  return limits;
}

/** Requests of all containers together, without what the pod has as a whole and its overhead. */
export const aggregateContainerRequests = (spec: PodSpec): ResourceSums =>
  aggregateContainers(spec, ({ resources }) => resources?.requests);

function podSums(pod: PodResources, part: Part, { podLevel, fromStatus, missing }: PodResourcesOptions): ResourceSums {
  const { spec } = pod;
  const statuses = fromStatus ? statusesByName(pod.status) : undefined;
  const sums = aggregateContainers(spec, (container) => {
    const status = statuses?.get(container.name ?? '');
    const amounts = amountsOf(container, part, status, pod.status?.resize === 'Infeasible');
    return missing === undefined ? amounts : Object.assign(createMap<string>(), missing, amounts);
  });
  if (podLevel)
    for (const name of podLevelResources) {
      const amount = spec.resources?.[part]?.[name];
      if (amount !== undefined) sums.set(name, quantityOf(amount));
    }
  return sums;
}

/** Init containers cannot be resized, so only the others are in it. */
const statusesByName = (status: Pod['status'] | undefined): Map<string, ContainerStatus> =>
  new Map(status?.containerStatuses?.map((container) => [container.name ?? '', container]));

/**
 * During a resize a container counts with the larger of what it asks for and what it has; when the node can never
 * grant the resize, with what it has.
 */
function amountsOf(
  { resources }: Container,
  part: Part,
  status: ContainerStatus | undefined,
  isInfeasible: boolean,
): Amounts {
  const asked = resources?.[part];
  if (status?.resources === undefined) return asked;
  const actual = status.resources[part];
  return isInfeasible ? actual : larger(asked, actual);
}

function larger(a: Amounts, b: Amounts): Amounts {
  const amounts = Object.assign(createMap<string>(), a);
  for (const name in b) {
    const own = amounts[name];
    if (own === undefined || quantityOf(b[name]!).compare(quantityOf(own)) > 0) amounts[name] = b[name]!;
  }
  return amounts;
}

/**
 * What containers need at the same time: the running ones together, or an init container with the sidecars before it
 * when that is more. A container is compared in what it names; the rest stays as it was before it.
 */
function aggregateContainers(
  { containers = [], initContainers = [] }: PodSpec,
  amountsOf: (container: Container) => Amounts,
): ResourceSums {
  const running: ResourceSums = new Map();
  for (const container of containers) addAll(running, amountsOf(container));
  const sidecars: ResourceSums = new Map();
  const starting: ResourceSums = new Map();
  for (const container of initContainers) {
    const amounts = amountsOf(container);
    if (isSidecar(container)) {
      addAll(running, amounts);
      addAll(sidecars, amounts);
    }
    for (const name in amounts)
      takeLarger(
        starting,
        name,
        isSidecar(container) ? sidecars.get(name)! : together(sidecars.get(name), quantityOf(amounts[name]!)),
      );
  }
  for (const [name, amount] of starting) takeLarger(running, name, amount);
  return running;
}

function addAll(sums: ResourceSums, amounts: Amounts): void {
  for (const name in amounts) sums.set(name, together(sums.get(name), quantityOf(amounts[name]!)));
}

const together = (sum: Quantity | undefined, amount: Quantity): Quantity => sum?.add(amount) ?? amount;

function takeLarger(sums: ResourceSums, name: string, amount: Quantity): void {
  const now = sums.get(name);
  if (now === undefined || amount.compare(now) > 0) sums.set(name, amount);
}
