/**
 * CEL selectors of devices: `device.driver`, `device.attributes["driver.example.com"].model`, and
 * `device.capacity["driver.example.com"].memory`.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ | Dynamic Resource
 *   Allocation}
 */
import type { BasicDevice, DeviceAttribute, DeviceSelector } from '../gen/types/resource-v1beta1.ts';
import { BoundedCache } from '../../base/bounded-cache.ts';
import { type CelType, dynType, mapType, objectType, opaqueType, stringType, typeText } from '../../cel/check/types.ts';
import type { SizePath } from '../../cel/cost/estimate.ts';
import { type Range, upTo } from '../../cel/cost/range.ts';
import { type Environment, environment, type Program } from '../../cel/environment.ts';
import { compatibilityVersion } from '../../cel/index.ts';
import { QuantityValue } from '../../cel/library/quantity.ts';
import { semver, semverOf } from '../../cel/library/semver.ts';
import { EntryMap, MapValue, type Value } from '../../cel/values/values.ts';
import { runToEnd } from '../../machinery/cooperative-scheduling.ts';
import { parseQuantity } from '../../machinery/quantity.ts';

/** What is known of a value when it is there only; whatever is made of several values is dyn. */
const anyType: CelType = { ...dynType, name: 'any' };
const ofDomains = (value: CelType): CelType => mapType(stringType, mapType(stringType, value));
const fields: Readonly<Record<string, CelType>> = {
  driver: stringType,
  attributes: ofDomains(anyType),
  capacity: ofDomains(opaqueType('kubernetes.Quantity')),
};
const deviceType = objectType('kubernetes.DRADevice', (name) => fields[name]);
const parts = { variables: { device: deviceType }, libraries: [semver] };
/** For expressions that are stored already. */
const env = environment(parts);
const envOfNew = environment({ ...parts, version: compatibilityVersion });
/** What one selector may cost for one device, as upstream. */
export const maxSelectorCost = 1_000_000;

/** A map in which every domain has a map, if an empty one: selectors need not ask whether a domain is there. */
class DomainMap extends EntryMap {
  override get(key: Value): Value | undefined {
    return super.get(key) ?? (typeof key === 'string' ? new EntryMap() : undefined);
  }

  override has(key: Value): boolean {
    return super.get(key) !== undefined;
  }
}

class DeviceValue extends MapValue {
  override readonly size = 3;
  readonly #values: ReadonlyMap<Value, Value>;

  constructor(driver: string, attributes: Value, capacity: Value) {
    super();
    this.#values = new Map<Value, Value>([
      ['driver', driver],
      ['attributes', attributes],
      ['capacity', capacity],
    ]);
  }

  override get(key: Value): Value | undefined {
    return this.#values.get(key);
  }

  override keys(): Value[] {
    return [...this.#values.keys()];
  }

  override get objectType(): CelType {
    return deviceType;
  }
}

/** Names without a domain are in that of the driver. */
function byDomain<T>(members: Readonly<Record<string, T>>, driver: string, valueOf: (member: T) => Value): DomainMap {
  const domains = new Map<string, EntryMap>();
  for (const [name, member] of Object.entries(members)) {
    const slash = name.indexOf('/');
    const domain = slash < 0 ? driver : name.slice(0, slash);
    let map = domains.get(domain);
    if (map === undefined) domains.set(domain, (map = new EntryMap()));
    map.insert(name.slice(slash + 1), valueOf(member));
  }
  const all = new DomainMap();
  for (const [domain, map] of domains) all.insert(domain, map);
  return all;
}

function attributeValue({ int, bool, string, version }: DeviceAttribute): Value {
  if (int !== undefined) return int;
  if (bool !== undefined) return bool;
  return string ?? semverOf(version ?? '');
}

export const deviceValue = (driver: string, { attributes = {}, capacity = {} }: BasicDevice): Value =>
  new DeviceValue(
    driver,
    byDomain(attributes, driver, attributeValue),
    byDomain(capacity, driver, ({ value = '0' }) => new QuantityValue(parseQuantity(value))),
  );

/** The longest name of a device's driver, of a domain, and of what is in a domain, in characters. */
export const maxDomainLength = 63;
export const maxIdLength = 32;
/** Of a text or a version. */
export const maxAttributeLength = 64;
/** Attributes and capacities of a device together. */
export const maxDeviceProperties = 32;

/** How large what a selector looks at can be: the steps from `device`, as costs are estimated with. */
function sizeOf([variable, field, ...steps]: SizePath): Range | undefined {
  if (variable !== 'device') return undefined;
  if (field === undefined) return upTo(0);
  if (field === 'driver') return steps.length === 0 ? upTo(maxDomainLength) : undefined;
  const isAttribute = field === 'attributes';
  if (!isAttribute && field !== 'capacity') return undefined;
  const [domain, name, ...rest] = steps;
  if (domain === undefined) return upTo(maxDeviceProperties);
  if (domain === '@keys') return name === undefined ? upTo(maxDomainLength) : undefined;
  if (domain !== '@values') return undefined;
  if (name === undefined) return upTo(maxDeviceProperties);
  if (rest.length > 0) return undefined;
  if (name === '@keys') return upTo(maxIdLength);
  if (isAttribute) return upTo(maxAttributeLength);
  return name === '@values' ? upTo(0) : undefined;
}

export type CompiledSelector =
  | { readonly program: Program /** What it costs for one device at most. */; readonly maxCost: number }
  | { readonly failure: string };

/** Measured: a compiled expression takes 50 to 80 for each of its characters. */
const bytesPerCharacter = 100;
const known = new BoundedCache<CompiledSelector>({
  maxBytes: 32 * 1024 * 1024,
  maxKeyLength: 16 * 1024,
  bytesOf: (_, { length }) => length * bytesPerCharacter,
});

/**
 * In steps, between which other work can be done. Results are kept for a while.
 *
 * @param isStored it may use what came with this version; a new one may be stored when all servers know that
 */
export function* compilingSelector(expression: string, isStored: boolean): Generator<void, CompiledSelector> {
  const key = `${isStored ? 'stored' : 'new'} ${expression}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const compiled = yield* compiling(isStored ? env : envOfNew, expression);
  known.set(key, compiled);
  return compiled;
}

function* compiling(language: Environment, expression: string): Generator<void, CompiledSelector> {
  const program = yield* language.compiling(expression);
  if ('failure' in program) return program;
  const { type } = program;
  if (type.kind !== 'bool' && type !== anyType)
    return { failure: `must evaluate to bool or the unknown type, not ${typeText(type)}` };
  yield;
  return { program, maxCost: program.estimateCost(sizeOf) };
}

/** Whether all selectors accept the device. Throws for one that cannot be compiled or evaluated. */
export const isSelected = (selectors: readonly DeviceSelector[], device: Value): boolean =>
  selectors.every(({ cel }) => {
    if (cel === undefined) throw new Error('a selector has no expression that is known here');
    const compiled = runToEnd(compilingSelector(cel.expression ?? '', true));
    if ('failure' in compiled) throw new Error(compiled.failure);
    const outcome = compiled.program.evaluate({ device }, maxSelectorCost);
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.value === true;
  });
