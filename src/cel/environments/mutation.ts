/**
 * What expressions of mutating policies make: `Object{spec: Object.spec{replicas: 3}}`, and lists of
 * `JSONPatch{op: 'add', path: '/a', value: 1}`.
 * @see {@link https://kep.k8s.io/3962 | KEP-3962: Mutating Admission Policies}
 */
import { globalOverload, type Library } from '../check/declarations.ts';
import type { FindMessage, MessageType } from '../check/messages.ts';
import { type CelType, dynType, listType, objectType, stringType } from '../check/types.ts';
import { S } from '../library/signatures.ts';
import { startWork, work } from '../values/evaluation-limit.ts';
import { ListValue, MapValue, type Value } from '../values/values.ts';

const rootName = 'Object';

/** The type that an apply configuration is of. */
export const appliedObjectType: CelType = objectType(rootName, () => dynType);

const patchFields: ReadonlyMap<string, CelType> = new Map([
  ['op', stringType],
  ['path', stringType],
  ['from', stringType],
  ['value', dynType],
]);

const operationType: CelType = objectType('JSONPatch', (name) => patchFields.get(name));

/** The type that a JSON patch is of. */
export const jsonPatchType: CelType = listType(operationType);

/** A value that an expression made by the name of its type. */
export class ConstructedValue extends MapValue {
  readonly fields: ReadonlyMap<string, Value>;
  readonly #type: CelType;

  constructor(type: CelType, fields: ReadonlyMap<string, Value>) {
    super();
    this.#type = type;
    this.fields = fields;
  }

  override get objectType(): CelType {
    return this.#type;
  }

  override get size(): number {
    return this.fields.size;
  }

  override get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }

  override keys(): readonly string[] {
    return [...this.fields.keys()];
  }
}

const messageOf = (type: CelType): MessageType => ({
  type,
  field: type.field!,
  create: (fields) => new ConstructedValue(type, fields),
});

const operationMessage = messageOf(operationType);
const objectMessage = messageOf(appliedObjectType);

/** Every name that begins with `Object.` is a type: whether the object has such a field shows when it is changed. */
export const mutationMessages: FindMessage = (name) => {
  if (name === operationType.name) return operationMessage;
  if (name === rootName) return objectMessage;
  return name.startsWith(`${rootName}.`) ? messageOf(objectType(name, () => dynType)) : undefined;
};

/** Escapes a key for a path of a JSON patch (RFC 6901, section 4). */
const escapeKey = (key: string): string => key.replace(/[~/]/g, (character) => (character === '~' ? '~0' : '~1'));

export const mutationLibraries: readonly Library[] = [
  {
    functions: [
      {
        name: 'jsonpatch.escapeKey',
        overloads: [globalOverload('string_jsonpatch_escapeKey_string', [S], S, escapeKey)],
      },
    ],
  },
];

/**
 * Constructed values whose type is not named after the place they stand at, each as a message: `Object.spec.selector`
 * is wanted at `selector` of an `Object.spec`.
 */
export function misplacedTypes(value: Value): string[] {
  startWork();
  return [...misplacedIn(value, value instanceof ConstructedValue ? value.objectType.name : rootName)];
}

function* misplacedIn(value: Value, place: string): Generator<string> {
  work(1);
  if (value instanceof ListValue) {
    for (const item of value) yield* misplacedIn(item, place);
  } else if (value instanceof ConstructedValue) {
    const { name } = value.objectType;
    if (name !== place)
      yield `unexpected type name "${name}", expected "${place}", which matches field name path from root Object type`;
    for (const [field, part] of value.fields) yield* misplacedIn(part, `${place}.${field}`);
  } else if (value instanceof MapValue) {
    for (const key of value.keys()) yield* misplacedIn(value.get(key)!, place);
  }
}
