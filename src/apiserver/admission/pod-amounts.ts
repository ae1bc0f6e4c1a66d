import type { Container, PodSpec } from '../../api/gen/types/core-v1.ts';
import { isSidecar } from '../../api/core/pod/container-list.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import type { Quantity } from '../../machinery/quantity.ts';

type Sums = Map<string, Quantity>;

/**
 * What a pod asks for as a whole: its containers together, or an init container with the sidecars before it where that
 * is more, and the overhead on top.
 */
export function podAmounts({ containers = [], initContainers = [], overhead = {} }: PodSpec, part: 'requests' | 'limits'): Record<string, string> {
  const running: Sums = new Map();
  for (const container of containers) addAll(running, container.resources?.[part]);
  const sidecars: Sums = new Map();
  const starting: Sums = new Map();
  for (const container of initContainers) addInit(container, part, { running, sidecars, starting });
  takeLarger(running, starting);
  for (const name of Object.keys(overhead)) if (part === 'requests' || running.get(name)?.isZero() === false) addAll(running, { [name]: overhead[name]! });
  return Object.fromEntries([...running].map(([name, amount]) => [name, amount.toString()]));
}

function addInit(container: Container, part: 'requests' | 'limits', { running, sidecars, starting }: { readonly running: Sums; readonly sidecars: Sums; readonly starting: Sums }): void {
  if (isSidecar(container)) {
    addAll(running, container.resources?.[part]);
    addAll(sidecars, container.resources?.[part]);
    takeLarger(starting, sidecars);
    return;
  }
  const now = new Map(sidecars);
  addAll(now, container.resources?.[part]);
  takeLarger(starting, now);
}

function addAll(sums: Sums, amounts: Readonly<Record<string, string>> | undefined): void {
  for (const name of Object.keys(amounts ?? {})) {
    const amount = quantityOf(amounts![name]!);
    sums.set(name, sums.get(name)?.add(amount) ?? amount);
  }
}

function takeLarger(sums: Sums, others: Sums): void {
  for (const [name, amount] of others) if ((sums.get(name)?.compare(amount) ?? -1) < 0) sums.set(name, amount);
}
