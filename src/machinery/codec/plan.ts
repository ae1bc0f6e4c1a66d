/**
 * What the compilers need to know of a type, worked out once from its schema: how each value looks in memory, in
 * protobuf and in JSON.
 */
import type { Field, JsonType, ScalarType, SchemaRegistry, TypeSchema } from '../schema.ts';

/** Field types whose JSON is a choice between a JSON schema and something else. */
export type ChoiceType = Extract<JsonType, 'schemaOrArray' | 'schemaOrBool' | 'schemaOrStringArray'>;

/** One value: of a field, a list element or a map value. */
export type Element =
  | { readonly fieldType: ScalarType | 'json' | 'unknown' }
  /** A list of texts as a message with one field `items`. */
  | { readonly fieldType: 'texts' }
  | { readonly fieldType: 'struct'; readonly type: string }
  | { readonly fieldType: ChoiceType; readonly type: string; readonly schema: string };

export interface Member {
  /** The schema's field, for names in messages. */
  readonly field: Field;
  readonly json: string;
  /** 0 when it has no protobuf field. */
  readonly number: number;
  readonly shape: 'single' | 'list' | 'map' | 'inline';
  readonly element: Element;
  readonly mapKey: 'string' | 'int32' | 'int64';
  readonly pointer: boolean;
  readonly omitempty: boolean;
  /**
   * JSON shows these with every element: objects embedded in another one's spec carry their type, items of a list do
   * not. A normalized value does not have them.
   */
  readonly typeMeta?: { readonly kind: string; readonly apiVersion: string };
}

export interface TypePlan {
  readonly id: string;
  /** Has apiVersion and kind in JSON. */
  readonly kind: boolean;
  readonly noProto: boolean;
  /** In declaration order. */
  readonly members: readonly Member[];
  /** Those with a protobuf field, by number. */
  readonly wire: readonly Member[];
}

/** By the name of a type, the JSON names of its fields that are there. Types that are not named have all of theirs. */
export type KeptFields = Readonly<Record<string, readonly string[]>>;

export class Plans {
  readonly #schemas: SchemaRegistry;
  readonly #kept: KeptFields;
  readonly #byId = new Map<string, TypePlan>();

  constructor(schemas: SchemaRegistry, kept: KeptFields = {}) {
    this.#schemas = schemas;
    this.#kept = kept;
  }

  of(id: string): TypePlan {
    let plan = this.#byId.get(id);
    if (plan === undefined) {
      plan = this.#create(this.#schemas.type(id));
      this.#byId.set(id, plan);
    }
    return plan;
  }

  /** How a value of this type looks, wherever it stands. */
  elementOf(type: string): Element {
    if (!type.includes('.')) return { fieldType: type as ScalarType };
    const schema = this.#schemas.type(type);
    switch (schema.jsonType) {
      case undefined:
        break;
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return { fieldType: schema.jsonType, type, schema: schema.fields.find((field) => field.pointer)!.type };
      default:
        return { fieldType: schema.jsonType };
    }
    if (schema.alias?.repeated === true) return wrappedList(type, schema.alias.type);
    return { fieldType: 'struct', type };
  }

  #create(schema: TypeSchema): TypePlan {
    const kept = Object.hasOwn(this.#kept, schema.id) ? this.#kept[schema.id] : undefined;
    const unknown = kept?.find((name) => !schema.fields.some(({ json }) => json === name));
    if (unknown !== undefined) throw new Error(`${schema.id} has no field ${unknown}`);
    const members = schema.fields
      .filter(({ json }) => json !== '-' && kept?.includes(json) !== false)
      .map((field) => this.#member(schema, field));
    const wire = members.filter((member) => member.number > 0).sort((a, b) => a.number - b.number);
    return { id: schema.id, kind: schema.kind === true, noProto: schema.noProto === true, members, wire };
  }

  #member(owner: TypeSchema, field: Field): Member {
    const isMap = field.mapKey !== undefined;
    const element = this.elementOf(field.type);
    const shape = field.inline === true ? 'inline' : isMap ? 'map' : field.repeated === true ? 'list' : 'single';
    const typeMeta = shape === 'list' && owner.kind !== true ? this.#typeMeta(field.type) : undefined;
    return {
      field,
      shape,
      json: field.json,
      number: field.number ?? 0,
      element: isMap && field.repeated === true ? wrappedList(field.json, field.type) : element,
      mapKey: field.mapKey ?? 'string',
      pointer: field.pointer === true,
      omitempty: field.omitempty === true,
      ...(typeMeta === undefined ? {} : { typeMeta }),
    };
  }

  #typeMeta(type: string): Member['typeMeta'] {
    if (!type.includes('.') || this.#schemas.type(type).kind !== true) return undefined;
    const dot = type.lastIndexOf('.');
    const owner = this.#schemas.packages.find((candidate) => candidate.name === type.slice(0, dot));
    if (owner === undefined) return undefined;
    return {
      kind: type.slice(dot + 1),
      apiVersion: owner.group === '' ? owner.version : `${owner.group}/${owner.version}`,
    };
  }
}

/** Every list that is a message of its own is one of texts. */
function wrappedList(name: string, itemType: string): Element {
  if (itemType !== 'string') throw new Error(`${name}: a list of ${itemType} as a message has no codec`);
  return { fieldType: 'texts' };
}

const varintTypes: ReadonlySet<string> = new Set(['bool', 'int32', 'int64', 'uint32', 'uint64', 'goDuration']);

/** 0 varint, 1 eight bytes, 2 with a length in front. */
export function wireTypeOf({ fieldType }: Element): 0 | 1 | 2 {
  if (varintTypes.has(fieldType)) return 0;
  return fieldType === 'double' ? 1 : 2;
}
