/** The devices that a node can have, out of ResourceSlices. */
import type { Node } from '../../../api/gen/types/core-v1.ts';
import type { Device, ResourceSlice } from '../../../api/gen/types/resource-v1beta1.ts';
import { nodeSelectorPredicate } from '../../../api/core/nodes/node-selector.ts';

export interface PoolDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  readonly slice: ResourceSlice;
}

export interface Pool {
  readonly driver: string;
  readonly name: string;
  /** All slices of the newest generation are there. */
  readonly isComplete: boolean;
  /** Two devices have one name: nothing of it can be used. */
  readonly isInvalid: boolean;
  readonly devices: readonly PoolDevice[];
}

/** One device among all. */
export const deviceKey = ({
  driver = '',
  pool = '',
  device = '',
}: {
  driver?: string;
  pool?: string;
  device?: string;
}): string => `${driver}/${pool}/${device}`;

function isOn({ spec }: ResourceSlice, node: Node): boolean {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName === node.metadata.name;
  if (spec.allNodes === true) return true;
  return spec.nodeSelector !== undefined && nodeSelectorPredicate(spec.nodeSelector)(node);
}

/** Complete pools come first; within a pool the slices are in the order of their names. */
export function poolsOn(node: Node, slices: Iterable<ResourceSlice>): readonly Pool[] {
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    if (!isOn(slice, node)) continue;
    const key = JSON.stringify([slice.spec.driver, slice.spec.pool.name]);
    const generation = generationOf(slice);
    const found = byPool.get(key);
    const newest = found === undefined ? -1n : generationOf(found[0]!);
    if (generation > newest) byPool.set(key, [slice]);
    else if (generation === newest) found!.push(slice);
  }
  const pools = [...byPool.values()].map(poolOf);
  return [...pools.filter(({ isComplete }) => isComplete), ...pools.filter(({ isComplete }) => !isComplete)];
}

const generationOf = ({ spec }: ResourceSlice): bigint => BigInt(spec.pool.generation ?? 0);

function poolOf(slices: ResourceSlice[]): Pool {
  const { driver = '', pool } = slices[0]!.spec;
  slices.sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const devices = slices.flatMap((slice) =>
    (slice.spec.devices ?? []).map((device) => ({ driver, pool: pool.name ?? '', device, slice })),
  );
  return {
    driver,
    name: pool.name ?? '',
    isComplete: BigInt(slices.length) === BigInt(pool.resourceSliceCount ?? 0),
    isInvalid: new Set(devices.map(({ device }) => device.name)).size < devices.length,
    devices,
  };
}
