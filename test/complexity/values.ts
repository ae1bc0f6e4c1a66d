/** Bodies that have many items, or a long text, in one place. */
import type { Element, Member, TypePlan } from '../../src/machinery/codec/plan.ts';
import { Plans } from '../../src/machinery/codec/plan.ts';
import type { SchemaRegistry } from '../../src/machinery/schema.ts';
import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';
import type { Place, Step } from './places.ts';

/**
 * What the items of a list or a map have in common:
 * - `equal`: they are the same
 * - `different`: they have different names
 * - `warned`: they have the same names and different contents, and texts that rules warn about
 * - `wrong`: each has an error of its own
 */
export const varieties = ['equal', 'different', 'warned', 'wrong'] as const;
export type Variety = (typeof varieties)[number];

/** Texts that tell items apart. Others say what an item is, and stay. */
const identities = [
  ...['name', 'key', 'ip', 'host', 'hostname', 'path', 'mountPath', 'devicePath', 'topologyKey', 'uid', 'value'],
  ...['values', 'expression', 'message', 'url', 'id', 'hostPort', 'containerPort', 'port', 'nodePort'],
];
const identity = new RegExp(`^(${identities.join('|')})$`, 'i');
/** Names that rules of pods and nodes warn about. */
const warnedKeys = ['beta.kubernetes.io/arch', 'failure-domain.beta.kubernetes.io/zone'];
const nestingOfItems = 3;

export class Values {
  readonly #plans: Plans;
  readonly #sizes = new Map<string, number>();

  constructor(schemas: SchemaRegistry) {
    this.#plans = new Plans(schemas);
  }

  /**
   * The object with as much in the place as makes about `size` bytes of JSON.
   *
   * @param minimal a valid object, which is copied
   */
  fill(minimal: JsonObject, place: Place, variety: Variety, size: number): JsonObject {
    const object = structuredClone(minimal) as Record<string, JsonValue>;
    let parent = object;
    for (const step of place.path.slice(0, -1)) parent = this.#enter(parent, step);
    const last = place.path.at(-1)!;
    parent[last.json] = this.#large(parent[last.json], place, variety, size);
    return object as JsonObject;
  }

  #enter(parent: Record<string, JsonValue>, { json, shape, element }: Step): Record<string, JsonValue> {
    const sample = (): JsonObject => this.#struct(element, 0, 'equal', nestingOfItems);
    if (shape === 'single') return (parent[json] ??= sample()) as Record<string, JsonValue>;
    if (shape === 'list') return ((parent[json] ??= [sample()]) as JsonValue[])[0] as Record<string, JsonValue>;
    const map = (parent[json] ??= { k: sample() }) as Record<string, JsonValue>;
    return map[Object.keys(map)[0]!] as Record<string, JsonValue>;
  }

  #large(known: JsonValue | undefined, { path, what }: Place, variety: Variety, size: number): JsonValue {
    const { element, shape } = path.at(-1)!;
    if (what === 'text') return longText(element, variety, size);
    const template = Array.isArray(known) ? known[0] : undefined;
    const item = (i: number): JsonValue =>
      isPlainObject(template)
        ? this.#vary(template, i, variety)
        : this.#element(element, path.at(-1)!.json, i, variety, nestingOfItems);
    const count = Math.max(1, Math.floor(size / this.#itemBytes(item)));
    if (shape !== 'map') return Array.from({ length: count }, (_, i) => item(i));
    return Object.fromEntries(Array.from({ length: count }, (_, i) => [keyOf(i, variety), item(i)]));
  }

  /** Of JSON, with the comma, or the key of a map. */
  #itemBytes(item: (i: number) => JsonValue): number {
    const text = JSON.stringify(item(10_000));
    const known = this.#sizes.get(text) ?? text.length + 8;
    this.#sizes.set(text, known);
    return known;
  }

  #vary(template: JsonObject, i: number, variety: Variety): JsonObject {
    return Object.fromEntries(
      Object.entries(template).map(([name, value]) => {
        if (typeof value === 'string') return [name, identity.test(name) ? text(value, i, variety) : value];
        if (typeof value === 'number') return [name, identity.test(name) ? number(i, variety) : value];
        return [name, value];
      }),
    ) as JsonObject;
  }

  #element(element: Element, name: string, i: number, variety: Variety, depth: number): JsonValue {
    switch (element.fieldType) {
      case 'string':
        return text(sampleText(name), i, variety);
      case 'bytes':
        return Buffer.from(variety === 'different' ? `v${i}` : 'v').toString('base64');
      case 'bool':
        return true;
      case 'int32':
      case 'uint32':
      case 'int64':
      case 'uint64':
      case 'goDuration':
        return number(i, variety);
      case 'double':
        return variety === 'different' ? i + 0.5 : 0.5;
      case 'quantity':
        return variety === 'wrong'
          ? `-${i + 1}`
          : variety === 'warned'
            ? `${i}.5`
            : variety === 'different'
              ? String(i)
              : '1';
      case 'intOrString':
        return number(i, variety);
      case 'time':
        return '2024-05-01T10:00:00Z';
      case 'microtime':
        return '2024-05-01T10:00:00.000000Z';
      case 'duration':
        return '1s';
      case 'fieldsV1':
        return { [`f:a${i}`]: {} } as JsonObject;
      case 'texts':
        return [text('v', i, variety)];
      case 'rawExtension':
      case 'unknown':
      case 'json':
      case 'any':
        return { a: text('v', i, variety) } as JsonObject;
      case 'struct':
        return this.#struct(element, i, variety, depth);
      case 'schemaOrBool':
        return true;
      case 'schemaOrArray':
        return { type: 'string' } as JsonObject;
      case 'schemaOrStringArray':
        return [text('a', i, variety)];
    }
  }

  /** What rules look at: texts and numbers, what is required, and one of what excludes each other. */
  #struct(element: Element, i: number, variety: Variety, depth: number): JsonObject {
    const type = element.fieldType === 'struct' ? element.type : (element as { readonly schema: string }).schema;
    const object: Record<string, JsonValue> = {};
    this.#members(this.#plans.of(type), object, i, variety, depth);
    return object as JsonObject;
  }

  #members({ members }: TypePlan, object: Record<string, JsonValue>, i: number, variety: Variety, depth: number): void {
    let hasChoice = false;
    for (const member of members) {
      const { json, shape, element, field } = member;
      if (shape === 'inline') {
        this.#members(this.#plans.of((element as { readonly type: string }).type), object, i, variety, depth);
        continue;
      }
      if (field.oneOf !== undefined || isOneOfMany(members, member)) {
        if (hasChoice || depth === 0) continue;
        hasChoice = true;
      } else if (!isWanted(member)) continue;
      if (depth === 0 && element.fieldType === 'struct') continue;
      const value = field.enum?.[0] ?? this.#element(element, json, i, variety, depth - 1);
      object[json] = shape === 'list' ? [value] : shape === 'map' ? { [keyOf(i, variety)]: value } : value;
    }
  }
}

const isPlainObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sources of volumes and the like are pointers of which one is set. */
const isOneOfMany = (members: readonly Member[], { element, pointer, shape }: Member): boolean =>
  shape === 'single' &&
  element.fieldType === 'struct' &&
  pointer &&
  members.filter((other) => other.pointer && other.element.fieldType === 'struct').length > 3;

const isWanted = ({ field, shape, element, pointer, omitempty }: Member): boolean =>
  field.required === true ||
  (shape === 'single' &&
    !pointer &&
    (element.fieldType !== 'struct' ? identity.test(field.json) || !omitempty : !omitempty));

const sampleText = (name: string): string =>
  /ip$|address/i.test(name)
    ? '10.0.0.1'
    : /path|url/i.test(name)
      ? '/a'
      : /image/i.test(name)
        ? 'app:1'
        : /version/i.test(name)
          ? 'v1'
          : 'a';

function text(base: string, i: number, variety: Variety): string {
  switch (variety) {
    case 'equal':
      return base;
    case 'different':
      return base === '10.0.0.1' ? `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` : `${base}-${i}`;
    case 'warned':
      return warnedKeys[i % warnedKeys.length]!;
    case 'wrong':
      return `-${base} ${i}!`;
  }
}

const number = (i: number, variety: Variety): number =>
  variety === 'different' ? 1 + (i % 65_535) : variety === 'wrong' ? -1 - i : 1;

/** Keys of a map cannot be equal. */
const keyOf = (i: number, variety: Variety): string =>
  variety === 'wrong' ? `-bad key ${i}!` : variety === 'warned' ? `beta.kubernetes.io/k${i}` : `k${i}`;

const units: Readonly<Record<Variety, string>> = {
  equal: 'a',
  different: 'a.b-c/d',
  warned: '1',
  wrong: '-%\\"\u0001 é',
};

function longText(element: Element, variety: Variety, size: number): JsonValue {
  if (element.fieldType === 'bytes') return Buffer.alloc((size * 3) / 4, units[variety]).toString('base64');
  const unit = units[variety];
  return unit.repeat(Math.max(1, Math.floor(size / JSON.stringify(unit).length)));
}
