/**
 * Finds devices for claims on one node: for each request as many as it asks for, so that the constraints of the claim
 * hold. What was chosen is given up again when a later request gets nothing.
 * @see {@link https://kep.k8s.io/4381 | KEP-4381}: structured parameters
 */
import type { Node, NodeSelector, NodeSelectorRequirement } from '../../../api/gen/types/core-v1.ts';
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  ResourceClaim,
} from '../../../api/gen/types/resource-v1beta1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { deviceValue, isSelected } from '../../../api/resource/device-selectors.ts';
import { deviceKey, type Pool, type PoolDevice } from './pools.ts';

export interface AllocationInput {
  readonly claims: readonly ResourceClaim[];
  readonly node: Node;
  readonly pools: readonly Pool[];
  /** See `deviceKey`. */
  readonly taken: ReadonlySet<string>;
  readonly classOf: (name: string) => DeviceClass | undefined;
}

/** One device that is to be found. */
interface Slot {
  readonly claim: number;
  readonly request: DeviceRequest;
  readonly deviceClass: DeviceClass;
  /** The very device, for a request of all. */
  readonly only?: PoolDevice;
}

/** Of a claim, as upstream. */
const maxDevices = 32;
/** So many choices are looked at before it is given up: the search of a bad case would not end. */
const maxSteps = 100_000;

/** The result for each claim, in their order; undefined when the node has not enough. Throws for what cannot be. */
export function allocate(input: AllocationInput): readonly AllocationResult[] | undefined {
  const slots = slotsOf(input);
  if (slots === undefined) return undefined;
  const candidates = new Map<DeviceRequest, readonly PoolDevice[]>();
  const chosen: PoolDevice[] = [];
  const used = new Set<string>();
  let steps = 0;
  const search = (index: number): boolean => {
    const slot = slots[index];
    if (slot === undefined) return true;
    let found = candidates.get(slot.request);
    if (found === undefined) candidates.set(slot.request, (found = matching(slot, input)));
    for (const device of slot.only === undefined ? found : [slot.only]) {
      if (++steps > maxSteps) throw new Error('there are too many ways to choose devices');
      const key = keyOf(device);
      const isAdmin = slot.request.adminAccess === true;
      if (!isAdmin && (input.taken.has(key) || used.has(key))) continue;
      if (!fits(device, index, slots, chosen, input.claims)) continue;
      chosen.push(device);
      if (!isAdmin) used.add(key);
      if (search(index + 1)) return true;
      chosen.pop();
      if (!isAdmin) used.delete(key);
    }
    return false;
  };
  if (!search(0)) return undefined;
  return input.claims.map((claim, i) => resultOf(claim, i, slots, chosen, input));
}

const keyOf = ({ driver, pool, device }: PoolDevice): string => deviceKey({ driver, pool, device: device.name ?? '' });

function slotsOf(input: AllocationInput): Slot[] | undefined {
  const slots: Slot[] = [];
  for (const [i, { metadata, spec }] of input.claims.entries()) {
    const before = slots.length;
    for (const request of spec.devices.requests ?? []) {
      const deviceClass = input.classOf(request.deviceClassName ?? '');
      if (deviceClass === undefined)
        throw new Error(
          `claim ${metadata.namespace}/${metadata.name}, request ${request.name}: could not retrieve device class ` +
            `${request.deviceClassName}`,
        );
      const slot = { claim: i, request, deviceClass };
      if (request.allocationMode === 'All') {
        const all = allOf(slot, input);
        if (all.length === 0) return undefined;
        slots.push(...all.map((only) => ({ ...slot, only })));
      } else for (let count = Number(request.count ?? 1); count > 0; count--) slots.push(slot);
      if (slots.length - before > maxDevices) return undefined;
    }
  }
  return slots;
}

/** Devices come and go while a pool changes: what is all of them is known when it is complete. */
function allOf(slot: Slot, input: AllocationInput): readonly PoolDevice[] {
  const { request } = slot;
  for (const { driver, name, isComplete, isInvalid } of input.pools) {
    const asks = `request ${request.name}: asks for all devices, but resource pool ${driver}/${name}`;
    if (!isComplete) throw new Error(`${asks} is currently being updated`);
    if (isInvalid) throw new Error(`${asks} is currently invalid`);
  }
  return matching(slot, input);
}

function matching({ request, deviceClass }: Slot, { pools }: AllocationInput): readonly PoolDevice[] {
  const selectors = [...(deviceClass.spec.selectors ?? []), ...(request.selectors ?? [])];
  return pools
    .filter(({ isInvalid }) => !isInvalid)
    .flatMap(({ devices }) => devices)
    .filter(({ driver, device }) => device.basic !== undefined && isSelected(selectors, valueOf(driver, device.basic)));
}

/** Made once per device: slices are shared and do not change. */
const values = new WeakMap<object, ReturnType<typeof deviceValue>>();
function valueOf(driver: string, basic: NonNullable<PoolDevice['device']['basic']>): ReturnType<typeof deviceValue> {
  let value = values.get(basic);
  if (value === undefined) values.set(basic, (value = deviceValue(driver, basic)));
  return value;
}

/** Whether all constraints hold between the device and those that were chosen for its claim. */
function fits(
  device: PoolDevice,
  index: number,
  slots: readonly Slot[],
  chosen: readonly PoolDevice[],
  claims: readonly ResourceClaim[],
): boolean {
  const { claim, request } = slots[index]!;
  return (claims[claim]!.spec.devices.constraints ?? []).every((constraint) => {
    if (!concerns(constraint, request.name ?? '')) return true;
    const value = attributeOf(device, constraint);
    if (value === undefined) return false;
    return chosen.every((other, i) => {
      const slot = slots[i]!;
      return (
        slot.claim !== claim ||
        !concerns(constraint, slot.request.name ?? '') ||
        isEqual(attributeOf(other, constraint), value)
      );
    });
  });
}

const concerns = ({ requests = [] }: DeviceConstraint, name: string): boolean =>
  requests.length === 0 || requests.includes(name);

function attributeOf({ driver, device }: PoolDevice, { matchAttribute = '' }: DeviceConstraint): object | undefined {
  const attributes = device.basic?.attributes ?? {};
  const short = matchAttribute.startsWith(`${driver}/`) ? matchAttribute.slice(driver.length + 1) : undefined;
  return attributes[matchAttribute] ?? (short === undefined ? undefined : attributes[short]);
}

function resultOf(
  { spec }: ResourceClaim,
  claim: number,
  slots: readonly Slot[],
  chosen: readonly PoolDevice[],
  { node }: AllocationInput,
): AllocationResult {
  const own = slots.flatMap((slot, i) => (slot.claim === claim ? [{ slot, device: chosen[i]! }] : []));
  const results = own.map(({ slot: { request }, device: { driver, pool, device } }) => ({
    request: request.name!,
    driver,
    pool,
    device: device.name!,
    ...(request.adminAccess === undefined ? {} : { adminAccess: request.adminAccess }),
  }));
  const classes = new Map(own.map(({ slot }) => [slot.request.name!, slot.deviceClass]));
  const config: DeviceAllocationConfiguration[] = [
    ...[...classes].flatMap(([request, { spec: of }]) =>
      (of.config ?? []).map((each) => ({ source: 'FromClass', requests: [request], ...each })),
    ),
    ...(spec.devices.config ?? []).map((each) => ({ source: 'FromClaim', ...each })),
  ];
  const nodeSelector = selectorOf(
    own.map(({ device }) => device),
    node,
  );
  return {
    devices: { results, ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

/** The nodes on which the devices can be used; undefined for all. */
function selectorOf(devices: readonly PoolDevice[], { metadata }: Node): NodeSelector | undefined {
  if (devices.some(({ slice }) => (slice.spec.nodeName ?? '') !== '')) {
    const field: NodeSelectorRequirement = { key: 'metadata.name', operator: 'In', values: [metadata.name!] };
    return { nodeSelectorTerms: [{ matchFields: [field] }] };
  }
  const expressions: NodeSelectorRequirement[] = [];
  const matchFields: NodeSelectorRequirement[] = [];
  for (const { slice } of devices) {
    const [term] = slice.spec.nodeSelector?.nodeSelectorTerms ?? [];
    for (const each of term?.matchExpressions ?? [])
      if (!expressions.some((known) => isEqual(known, each))) expressions.push(each);
    for (const each of term?.matchFields ?? [])
      if (!matchFields.some((known) => isEqual(known, each))) matchFields.push(each);
  }
  if (expressions.length + matchFields.length === 0) return undefined;
  const term = {
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
    ...(matchFields.length === 0 ? {} : { matchFields }),
  };
  return { nodeSelectorTerms: [term] };
}
