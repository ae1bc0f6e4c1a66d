/** Whether a pod fits beside the pods that are there. Resources that the node does not have are not its matter. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { podRequests } from '../../../api/core/pods/pod-requests.ts';
import { parseQuantity, type Quantity } from '../../../machinery/quantity.ts';
import type { Refusal } from './admission-request.ts';

export interface MissingResource {
  readonly name: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

const sumOptions = { podLevel: false, fromStatus: false, overhead: true } as const;
const first = ['pods', 'cpu', 'memory', 'ephemeral-storage'];
/** CPU is counted in thousandths. */
const scaleOf = (name: string): number => (name === 'cpu' ? -3 : 0);
const amount = (quantity: Quantity | undefined, name: string): bigint => quantity?.scaledValue(scaleOf(name)) ?? 0n;

export function requestsOf(pod: Pick<Pod, 'spec'>): ReadonlyMap<string, bigint> {
  const sums = [...podRequests({ spec: pod.spec }, sumOptions)];
  return new Map([['pods', 1n], ...sums.map(([name, quantity]): [string, bigint] => [name, amount(quantity, name)])]);
}

/** In the order in which they are told. */
export function missingResources(
  pod: Pod,
  others: readonly Pod[],
  allocatable: Readonly<Record<string, string>>,
): readonly MissingResource[] {
  const wanted = requestsOf(pod);
  const used = new Map<string, bigint>();
  for (const other of others)
    for (const [name, value] of requestsOf(other)) used.set(name, (used.get(name) ?? 0n) + value);
  const names = [...first, ...[...wanted.keys()].filter((name) => !first.includes(name)).sort()];
  return names.flatMap((name): MissingResource[] => {
    const requested = wanted.get(name) ?? 0n;
    const text = allocatable[name];
    if (text === undefined || requested === 0n) return [];
    const capacity = amount(parseQuantity(text), name);
    const taken = used.get(name) ?? 0n;
    return requested + taken > capacity ? [{ name, requested, used: taken, capacity }] : [];
  });
}

export const resourceProblem = (missing: MissingResource | undefined): Refusal | undefined =>
  missing === undefined
    ? undefined
    : {
        reason: `OutOf${missing.name}`,
        message:
          `Node didn't have enough resource: ${missing.name}, requested: ${missing.requested}, ` +
          `used: ${missing.used}, capacity: ${missing.capacity}`,
      };
