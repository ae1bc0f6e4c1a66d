/**
 * Reads from an object's bytes what indexes and selectors need (namespace, name, labels, some fields) without decoding
 * the rest. Compiled per type and list of fields.
 */
import type { SchemaRegistry } from '../schema.ts';
import { mapOfPairs, RecordKeys, RecordMap } from '../small-map.ts';
import type { Element, Member } from './plan.ts';
import { Plans, wireTypeOf } from './plan.ts';
import { FunctionSource, functionName } from './source.ts';
import {
  at,
  failUnexpectedEnd,
  readBool,
  readInt32,
  readInt64,
  readString,
  readUint,
  readUint32,
  readUint64,
  skipAny,
} from './wire-read.ts';

/** The shape of `IndexCard` in the storage layer, which knows what attributes are for. */
export interface ScannedAttributes {
  readonly namespace: string;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
}

/** Throws `DecodeError` for bytes that are no message. */
export type AttributesScanner = (bytes: Buffer) => ScannedAttributes;

/** A field of the attributes that is named otherwise than its path: the first of the paths that is not empty counts. */
export interface NamedPaths {
  readonly name: string;
  readonly paths: readonly string[];
}

/** Without the two that every attributes has. */
export const selectablePaths = (fields: readonly (string | NamedPaths)[]): NamedPaths[] =>
  fields
    .map((field) => (typeof field === 'string' ? { name: field, paths: [field] } : field))
    .filter(({ name }) => name !== 'metadata.name' && name !== 'metadata.namespace');

/**
 * @param typeId a type whose first field is ObjectMeta
 * @param fields paths of texts, numbers and booleans such as `spec.nodeName`; of a list the first item is looked at.
 *   `metadata.name` and `metadata.namespace` are always among the attributes and need no field. A path that the type
 *   does not have gives ''.
 */
export function createAttributesScanner(
  schemas: SchemaRegistry,
  typeId: string,
  fields: readonly (string | NamedPaths)[] = [],
): AttributesScanner {
  let scanner: AttributesScanner | undefined;
  return (bytes) => (scanner ??= new ScanCompiler(new Plans(schemas), typeId, fields).compile())(bytes);
}

/** What to do with a field on the way to the wanted ones. */
interface Step {
  readonly member: Member;
  readonly children: Map<number, Step>;
  /** Variables that take the value. */
  readonly targets: string[];
}

const varints: Readonly<Record<string, unknown>> = {
  bool: readBool,
  int32: readInt32,
  int64: readInt64,
  uint32: readUint32,
  uint64: readUint64,
};

class ScanCompiler {
  readonly #source = new FunctionSource();
  readonly #plans: Plans;
  readonly #typeId: string;
  readonly #fields: readonly NamedPaths[];
  readonly #root = new Map<number, Step>();
  readonly #zeros = new Map<string, string>();
  #variables = 0;

  constructor(plans: Plans, typeId: string, fields: readonly (string | NamedPaths)[]) {
    this.#plans = plans;
    this.#typeId = typeId;
    this.#fields = selectablePaths(fields);
  }

  compile(): AttributesScanner {
    const wanted = this.#fields.map(({ paths }) =>
      paths.map((path) => this.#want(path)).filter((variable) => variable !== undefined),
    );
    const name = this.#want('metadata.name')!;
    const namespace = this.#want('metadata.namespace')!;
    const labels = this.#want('metadata.labels')!;
    const declarations = this.#source.mark();
    this.#message(this.#root, 'end');
    const variables = [...this.#zeros].map(([variable, zero]) => `${variable} = ${zero}`);
    this.#source.lineAt(
      declarations,
      `let p = 0, t = 0, l = 0, start = 0, ${variables.join(', ')}; const end = b.length;`,
    );
    const values = wanted.map((variables) => (variables.length === 0 ? '""' : variables.join(' || ')));
    const fields =
      this.#fields.length === 0
        ? `${this.#bind(mapOfPairs)}([])`
        : `new ${this.#bind(RecordMap)}(${this.#bind(new RecordKeys(this.#fields.map((field) => field.name)))}, ` +
          `[${values.join(', ')}])`;
    this.#line(
      `return { namespace: ${namespace}, name: ${name}, labels: ${this.#bind(mapOfPairs)}(${labels}), ` +
        `fields: ${fields} };`,
    );
    return this.#source.compile(functionName('scan', this.#typeId), 'b');
  }

  /** The variable that will hold the value at the path. */
  #want(path: string): string | undefined {
    let level = this.#root;
    let typeId = this.#typeId;
    let step: Step | undefined;
    for (const name of path.split('.')) {
      const way = this.#wayTo(typeId, name);
      if (way === undefined) return undefined;
      for (const member of way) {
        const known: Step | undefined = level.get(member.number);
        step = known ?? { member, children: new Map(), targets: [] };
        level.set(member.number, step);
        level = step.children;
      }
      const { element } = step!.member;
      typeId = element.fieldType === 'struct' ? element.type : '';
    }
    const zero = this.#zeroOf(step!.member);
    if (zero === undefined) return undefined;
    const variable = `v${this.#variables++}`;
    this.#zeros.set(variable, zero);
    step!.targets.push(variable);
    return variable;
  }

  /** The member of that name, behind the inlined structs that it lies in. */
  #wayTo(typeId: string, name: string): Member[] | undefined {
    if (typeId === '') return undefined;
    for (const member of this.#plans.of(typeId).wire) {
      if (member.shape !== 'inline') {
        if (member.json === name) return [member];
        continue;
      }
      const rest = this.#wayTo(structType(member.element), name);
      if (rest !== undefined) return [member, ...rest];
    }
    return undefined;
  }

  #zeroOf({ element, shape }: Member): string | undefined {
    if (shape === 'map') return '[]';
    if (element.fieldType === 'bool') return '"false"';
    if (element.fieldType in varints) return '"0"';
    return element.fieldType === 'string' ? '""' : undefined;
  }

  /** Reads the fields up to `end`. */
  #message(steps: ReadonlyMap<number, Step>, end: string): void {
    this.#line(`while (p < ${end}) { start = p; t = b[p++]; if (t > 127) t = (t & 127) | (b[p++] << 7); switch (t) {`);
    for (const step of steps.values()) this.#step(step, end);
    this.#line(
      `default: if ((t & 7) === 2 && t < 16384) { l = b[p++]; if (l > 127) { l = ${this.#bind(readUint)}(b, p - ` +
        `1); p = ${this.#bind(at)}.p; } p += l; }`,
    );
    this.#line(`else p = ${this.#bind(skipAny)}(b, start, ${end});`);
    this.#line('}}');
    this.#line(`if (p !== ${end}) ${this.#bind(failUnexpectedEnd)}();`);
  }

  #step({ member, children, targets }: Step, end: string): void {
    const { element, shape, number } = member;
    const wireType = shape === 'map' ? 2 : wireTypeOf(element);
    const limit = `q${this.#variables++}`;
    this.#line(`case ${number * 8 + wireType}: {`);
    if (wireType === 2) {
      this.#line(`l = b[p++]; if (l > 127) { l = ${this.#bind(readUint)}(b, p - 1); p = ${this.#bind(at)}.p; }`);
      this.#line(`const ${limit} = p + l; if (!(${limit} <= ${end})) ${this.#bind(failUnexpectedEnd)}();`);
    }
    if (shape === 'map') this.#entry(targets, limit);
    else if (element.fieldType === 'struct' && shape === 'list') this.#firstItem(children, limit);
    else if (element.fieldType === 'struct') this.#message(children, limit);
    else if (wireType === 2) this.#line(`const s = ${this.#text(member)}(b, p, ${limit}); p = ${limit};`);
    else this.#line(`const s = String(${this.#bind(varints[element.fieldType])}(b, p)); p = ${this.#bind(at)}.p;`);
    // Of a list the first item counts, of a field that comes twice the last one.
    if (shape !== 'map' && element.fieldType !== 'struct')
      for (const target of targets)
        this.#line(shape === 'list' ? `if (${target} === "") ${target} = s;` : `${target} = s;`);
    this.#line('break; }');
  }

  #firstItem(children: ReadonlyMap<number, Step>, limit: string): void {
    const seen = `v${this.#variables++}`;
    this.#zeros.set(seen, 'false');
    this.#line(`if (${seen}) p = ${limit}; else { ${seen} = true;`);
    this.#message(children, limit);
    this.#line('}');
  }

  /** Names differ from object to object; most other texts are the same in many. */
  #text({ json }: Member): string {
    return this.#bind(json === 'name' ? readString : readShared);
  }

  #entry(targets: readonly string[], limit: string): void {
    this.#line(
      `let k = "", w = ""; while (p < ${limit}) { start = p; t = b[p++]; if (t !== 10 && t !== 18) { p ` +
        `= ${this.#bind(skipAny)}(b, start, ${limit}); continue; }`,
    );
    this.#line(`l = b[p++]; if (l > 127) { l = ${this.#bind(readUint)}(b, p - 1); p = ${this.#bind(at)}.p; }`);
    this.#line(`const r = p + l; if (!(r <= ${limit})) ${this.#bind(failUnexpectedEnd)}();`);
    this.#line(`const s = ${this.#bind(readShared)}(b, p, r); if (t === 10) k = s; else w = s; p = r; }`);
    this.#line(`if (p !== ${limit}) ${this.#bind(failUnexpectedEnd)}();`);
    for (const target of targets) this.#line(`${this.#bind(addPair)}(${target}, k, w);`);
  }

  #line(text: string): void {
    this.#source.line(text);
  }

  #bind(value: unknown): string {
    return this.#source.bind(value);
  }
}

const structType = (element: Element): string => (element as Extract<Element, { fieldType: 'struct' }>).type;

/** Of a key that comes twice the last value counts. */
function addPair(pairs: string[], key: string, value: string): void {
  for (let i = 0; i < pairs.length; i += 2) {
    if (pairs[i] !== key) continue;
    pairs[i + 1] = value;
    return;
  }
  pairs.push(key, value);
}

const shared = new Array<string>(4096).fill('');
const longShared = 64;

/**
 * A text that was read lately is the same string again, which saves making it. Where two texts want one slot the later
 * has it: what is kept for long shares by `storage/attributes-interning.ts`.
 */
function readShared(b: Buffer, p: number, q: number): string {
  const length = q - p;
  if (length === 0) return '';
  if (length > longShared) return readString(b, p, q);
  const slot = (length * 31 + b[p]! * 7 + b[q - 1]! * 131 + b[p + (length >> 1)]! * 17) & 4095;
  const known = shared[slot]!;
  if (known.length === length) {
    let i = 0;
    while (i < length && known.charCodeAt(i) === b[p + i]) i++;
    if (i === length) return known;
  }
  return (shared[slot] = readString(b, p, q));
}
