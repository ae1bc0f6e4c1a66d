/**
 * CEL selectors of devices: `device.driver`, `device.attributes["driver.example.com"].model`, and
 * `device.capacity["driver.example.com"].memory`.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ | Dynamic Resource
 *   Allocation}
 */
import type { BasicDevice, DeviceAttribute, DeviceSelector } from '../../../api/gen/types/resource-v1beta1.ts';
import {
  boolType,
  type CelType,
  dynType,
  mapType,
  objectType,
  opaqueType,
  stringType,
} from '../../../cel/check/types.ts';
import { environment, type Program } from '../../../cel/environment.ts';
import { QuantityValue } from '../../../cel/library/quantity.ts';
import { semver, semverOf } from '../../../cel/library/semver.ts';
import { EntryMap, MapValue, type Value } from '../../../cel/values/values.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';

const ofDomains = (value: CelType): CelType => mapType(stringType, mapType(stringType, value));
const fields: Readonly<Record<string, CelType>> = {
  driver: stringType,
  attributes: ofDomains(dynType),
  capacity: ofDomains(opaqueType('kubernetes.Quantity')),
};
const deviceType = objectType('kubernetes.DRADevice', (name) => fields[name]);
const env = environment({ variables: { device: deviceType }, libraries: [semver] });
/** What one selector may cost for one device, as upstream. */
const costLimit = 1_000_000;

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

const known = new Map<string, Program | Error>();
const maxKnown = 1000;

function programOf(expression: string): Program {
  let program = known.get(expression);
  if (program === undefined) {
    const compiled = env.compile(expression, boolType);
    program = 'failure' in compiled ? new Error(compiled.failure) : compiled;
    if (known.size >= maxKnown) known.delete(known.keys().next().value!);
    known.set(expression, program);
  }
  if (program instanceof Error) throw program;
  return program;
}

/** Whether all selectors accept the device. Throws for one that cannot be compiled or evaluated. */
export const isSelected = (selectors: readonly DeviceSelector[], device: Value): boolean =>
  selectors.every(({ cel }) => {
    if (cel === undefined) throw new Error('a selector has no expression that is known here');
    const outcome = programOf(cel.expression ?? '').evaluate({ device }, costLimit);
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.value === true;
  });
