/** Which devices a container gets, and on which NUMA nodes there are enough of them. Pure. */
import type { Hint } from '../topology/hints.ts';
import { countOf, masksOf, type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import type { DeviceInventory } from './device-inventory.ts';

export interface DeviceRequest {
  readonly resource: string;
  readonly count: number;
  /** Of init containers of the pod that have ended by then. */
  readonly reusable: readonly string[];
  readonly affinity: NumaMask | undefined;
}

/** What a plugin prefers: among `available`, with all of `mustHave`, `count` in all. */
export type Preference = (
  available: readonly string[],
  mustHave: readonly string[],
  count: number,
) => Promise<readonly string[]>;

/** @returns undefined where there are not enough */
export async function chooseDevices(
  inventory: DeviceInventory,
  { resource, count, reusable, affinity }: DeviceRequest,
  prefer: Preference,
): Promise<readonly string[]> {
  const chosen = new Set(reusable.slice(0, count));
  const left = (): number => count - chosen.size;
  const add = (ids: readonly string[]): void => {
    for (const id of ids) if (left() > 0) chosen.add(id);
  };
  const preferred = async (among: readonly string[]): Promise<readonly string[]> => {
    const ids = await prefer([...new Set([...among, ...chosen])], [...chosen], count);
    return ids.filter((id) => among.includes(id));
  };
  if (left() === 0) return [...chosen];
  const available = inventory.available(resource).filter((id) => !chosen.has(id));
  const { aligned, others } = byAffinity(inventory, resource, available, affinity);
  if (left() < aligned.length) add(await preferred(aligned));
  add(aligned);
  if (left() > 0) {
    add(await preferred(others));
    add(others);
  }
  return [...chosen];
}

/** Without a word on NUMA nodes no device is better than another. */
function byAffinity(
  inventory: DeviceInventory,
  resource: string,
  available: readonly string[],
  affinity: NumaMask | undefined,
): { readonly aligned: readonly string[]; readonly others: readonly string[] } {
  if (affinity === undefined || !hasTopology(inventory, resource)) return { aligned: [], others: available };
  const nodesOfDevice = (id: string): readonly number[] => inventory.devicesOf(resource).get(id)?.nodes ?? [];
  const isAligned = (id: string): boolean => nodesOfDevice(id).some((node) => ((affinity >> BigInt(node)) & 1n) === 1n);
  const rest = available.filter((id) => !isAligned(id));
  return {
    aligned: available.filter(isAligned),
    others: [
      ...rest.filter((id) => nodesOfDevice(id).length > 0),
      ...rest.filter((id) => nodesOfDevice(id).length === 0),
    ],
  };
}

export const hasTopology = (inventory: DeviceInventory, resource: string): boolean =>
  [...inventory.devicesOf(resource).values()].some(({ nodes }) => nodes.length > 0);

/** @param numaNodes of the machine */
export function deviceHints(
  inventory: DeviceInventory,
  numaNodes: readonly number[],
  { resource, count, available, reusable }: DeviceHintRequest,
): readonly Hint[] {
  const devices = inventory.devicesOf(resource);
  const isIn = (mask: NumaMask, id: string): boolean =>
    (devices.get(id)?.nodes ?? []).some((node) => ((mask >> BigInt(node)) & 1n) === 1n);
  const inMask = (mask: NumaMask, ids: Iterable<string>): number => [...ids].filter((id) => isIn(mask, id)).length;
  let least = numaNodes.length;
  const masks = masksOf(numaNodes).filter((mask) => {
    if (inMask(mask, devices.keys()) >= count) least = Math.min(least, nodesOf(mask).length);
    const reused = inMask(mask, reusable);
    return reused === reusable.length && reused + inMask(mask, available) >= count;
  });
  return masks.map((affinity) => ({ affinity, preferred: countOf(affinity) === least }));
}

export interface DeviceHintRequest {
  readonly resource: string;
  readonly count: number;
  readonly available: readonly string[];
  readonly reusable: readonly string[];
}
