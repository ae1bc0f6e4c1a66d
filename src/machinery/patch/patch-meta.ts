/**
 * What strategic merge needs to know of a type: how each member is merged. Read from the schema, once per type.
 */
import { goQuote } from '../go-quote.ts';
import type { Field, SchemaRegistry } from '../schema.ts';
import { plainError } from '../status.ts';

/** A type as Go's reflection shows it; error messages name the kind. */
export interface ValueType {
  readonly kind:
    | 'struct'
    | 'map'
    | 'slice'
    | 'interface'
    | 'string'
    | 'bool'
    | 'int32'
    | 'int64'
    | 'uint8'
    | 'uint32'
    | 'uint64'
    | 'float64';
  /** Id or Go name of a struct. */
  readonly name: string;
  /** Element of a slice, value of a map. */
  readonly element?: ValueType;
}

export interface PatchMember {
  readonly type: ValueType;
  readonly pointer: boolean;
  /** `merge`, `replace` or ''. */
  readonly strategy: string;
  readonly mergeKey: string;
}

/** How a member's value is merged. For a list, `type` is its element. */
export type PatchMeta = Pick<PatchMember, 'type' | 'strategy' | 'mergeKey'>;

const text: ValueType = { kind: 'string', name: 'string' };
const struct = (name: string): ValueType => ({ kind: 'struct', name });

const scalarTypes: Readonly<Record<string, ValueType>> = {
  string: text,
  bytes: { kind: 'slice', name: '', element: { kind: 'uint8', name: 'uint8' } },
  bool: { kind: 'bool', name: 'bool' },
  int32: { kind: 'int32', name: 'int32' },
  int64: { kind: 'int64', name: 'int64' },
  uint32: { kind: 'uint32', name: 'uint32' },
  uint64: { kind: 'uint64', name: 'uint64' },
  double: { kind: 'float64', name: 'float64' },
  time: struct('Time'),
  microtime: struct('MicroTime'),
  duration: struct('Duration'),
  goDuration: { kind: 'int64', name: 'Duration' },
  fieldsV1: struct('FieldsV1'),
  quantity: struct('Quantity'),
  intOrString: struct('IntOrString'),
  rawExtension: struct('RawExtension'),
  any: { kind: 'interface', name: '' },
};

/** Patch metadata of the types of one schema. */
export class PatchMetaLookup {
  readonly #schemas: SchemaRegistry;
  readonly #members = new Map<string, ReadonlyMap<string, PatchMember>>();

  constructor(schemas: SchemaRegistry) {
    this.#schemas = schemas;
  }

  /** @throws StatusError 500 with upstream's text when the type has no such member, or no members. */
  member(type: ValueType, key: string): PatchMember {
    if (type.kind !== 'struct')
      throw plainError(`merging an object in json but data type is not struct, instead is: ${type.kind}`);
    const members = this.#membersOf(type.name);
    const found =
      members.get(key) ??
      members.get([...members.keys()].find((name) => name.toLowerCase() === key.toLowerCase()) ?? '');
    if (found === undefined)
      throw plainError(`unable to find api field in struct ${goName(type.name)} for the json field ${goQuote(key)}`);
    return found;
  }

  /** Like {@link member} for one that is a list; the type is that of its elements. */
  list(type: ValueType, key: string): PatchMeta {
    const { pointer, ...meta } = this.member(type, key);
    if (meta.type.kind === 'slice') return { ...meta, type: meta.type.element! };
    if (!pointer) throw plainError(`expected slice or array type, but got: ${type.kind}`);
    return meta;
  }

  #membersOf(name: string): ReadonlyMap<string, PatchMember> {
    let members = this.#members.get(name);
    if (members === undefined) {
      members = new Map(name.includes('.') ? this.#read(name) : []);
      this.#members.set(name, members);
    }
    return members;
  }

  *#read(id: string): Generator<[string, PatchMember]> {
    const type = this.#schemas.type(id);
    if (type.kind)
      yield* ['kind', 'apiVersion'].map((name): [string, PatchMember] => [
        name,
        { type: text, pointer: false, strategy: '', mergeKey: '' },
      ]);
    for (const field of type.fields) {
      if (field.inline) yield* this.#read(field.type);
      else if (field.json !== '-')
        yield [
          field.json,
          {
            type: this.#typeOf(field),
            pointer: field.pointer ?? false,
            strategy: strategyOf(field),
            mergeKey: field.patchMergeKey ?? '',
          },
        ];
    }
  }

  #typeOf(field: { type: string; repeated?: boolean; mapKey?: string }): ValueType {
    let type = scalarTypes[field.type] ?? this.#named(field.type);
    if (field.repeated) type = { kind: 'slice', name: '', element: type };
    return field.mapKey === undefined ? type : { kind: 'map', name: '', element: type };
  }

  #named(id: string): ValueType {
    const { alias } = this.#schemas.type(id);
    return alias === undefined ? struct(id) : this.#typeOf(alias);
  }
}

/** The merge strategy beside `retainKeys`, which is a matter of the patch's `$retainKeys` alone. */
function strategyOf(field: Field): string {
  return (field.patchStrategy ?? '').split(',').find((strategy) => strategy !== 'retainKeys') ?? '';
}

const goName = (id: string): string => id.slice(id.lastIndexOf('.') + 1);
