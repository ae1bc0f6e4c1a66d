/** Runs one case of the public data and says how the outcome differs. */
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeText,
  typeType,
  uintType,
} from '../../../src/cel/check/types.ts';
import { type Environment, environment } from '../../../src/cel/environment.ts';
import { stringsVersion3 } from '../../../src/cel/library/strings.ts';
import { equals, typeNameOf } from '../../../src/cel/values/compare.ts';
import { timestampOf } from '../../../src/cel/values/time-text.ts';
import {
  ArrayList,
  CelError,
  Double,
  Duration,
  EntryMap,
  TypeValue,
  Uint,
  type Value,
} from '../../../src/cel/values/values.ts';
import { parseDuration } from '../../../src/machinery/duration.ts';
import type { SpecCase, SpecType, SpecValue } from './suites.ts';

export class Unsupported extends Error {}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};
const wellKnown: Readonly<Record<string, CelType>> = { TIMESTAMP: timestampType, DURATION: durationType, ANY: dynType };

const wellKnownMessages: Readonly<Record<string, CelType | undefined>> = {
  'google.protobuf.Duration': durationType,
  'google.protobuf.Timestamp': timestampType,
};

export function typeOf(type: SpecType): CelType {
  if ('primitive' in type) return primitives[type['primitive'] as string]!;
  if ('wellKnown' in type) return wellKnown[type['wellKnown'] as string]!;
  if ('dyn' in type) return dynType;
  if ('null' in type) return nullType;
  if ('listType' in type) return listType(typeOf((type['listType'] as { elemType: SpecType }).elemType));
  if ('type' in type)
    return typeType(Object.keys(type['type'] as object).length === 0 ? undefined : typeOf(type['type'] as SpecType));
  if ('mapType' in type) {
    const { keyType, valueType } = type['mapType'] as { keyType: SpecType; valueType: SpecType };
    return mapType(typeOf(keyType), typeOf(valueType));
  }
  const message = wellKnownMessages[type['messageType'] as string];
  if (message !== undefined) return message;
  const abstract = type['abstractType'] as { name: string; parameterTypes?: SpecType[] } | undefined;
  if (abstract?.name === 'optional_type') return optionalType(typeOf(abstract.parameterTypes![0]!));
  throw new Unsupported(`type ${JSON.stringify(type)}`);
}

function doubleOf(json: unknown): number {
  return json === 'NaN' ? NaN : json === 'Infinity' ? Infinity : json === '-Infinity' ? -Infinity : Number(json);
}

const intOf = (text: unknown): number | bigint =>
  Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text as string);

export function valueOf(value: SpecValue): Value {
  const [kind, content] = Object.entries(value)[0] ?? ['nullValue', null];
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return content as boolean | string;
    case 'int64Value':
      return intOf(content);
    case 'uint64Value':
      return new Uint(BigInt(content as string));
    case 'doubleValue':
      return new Double(doubleOf(content));
    case 'bytesValue':
      return Buffer.from(content as string, 'base64');
    case 'typeValue':
      return new TypeValue(content as string);
    case 'listValue':
      return new ArrayList(((content as { values?: SpecValue[] }).values ?? []).map(valueOf));
    case 'mapValue':
      return mapOf((content as { entries?: { key: SpecValue; value: SpecValue }[] }).entries ?? []);
    case 'objectValue':
      return objectOf(content as { '@type': string; value: unknown });
    default:
      throw new Unsupported(`value ${kind}`);
  }
}

function mapOf(entries: readonly { key: SpecValue; value: SpecValue }[]): EntryMap {
  const map = new EntryMap();
  for (const { key, value } of entries) map.insert(valueOf(key), valueOf(value));
  return map;
}

function objectOf(object: { '@type': string; value: unknown }): Value {
  const type = object['@type'].replace('type.googleapis.com/', '');
  if (type === 'google.protobuf.Timestamp') return timestampOf(object.value as string)!;
  if (type === 'google.protobuf.Duration') return new Duration(parseDuration(object.value as string));
  throw new Unsupported(`message ${type}`);
}

function environmentOf({ typeEnv = [], disableMacros = false, disableCheck = false }: SpecCase): Environment {
  const variables = Object.fromEntries(
    typeEnv.filter(({ ident }) => ident !== undefined).map(({ name, ident }) => [name, typeOf(ident!.type)]),
  );
  return environment({
    variables,
    libraries: [stringsVersion3],
    homogeneous: false,
    unchecked: disableCheck,
    parsing: { bindings: true, quotedFields: true, twoVariables: true, macros: !disableMacros },
  });
}

/**
 * What is wrong; undefined when it is as it should be. Throws {@link Unsupported} where it is about what we do not
 * have.
 */
export function differenceOf(spec: SpecCase): string | undefined {
  const compiled = environmentOf(spec).compile(spec.expr);
  if ('failure' in compiled) return spec.evalError === undefined ? compiled.failure : undefined;
  const deduced = spec.typedResult?.deducedType;
  if (deduced !== undefined && typeText(typeOf(deduced)) !== typeText(compiled.type))
    return `type ${typeText(compiled.type)}, not ${typeText(typeOf(deduced))}`;
  if (spec.checkOnly === true) return undefined;
  const outcome = compiled.evaluate(bindingsOf(spec));
  if ('error' in outcome) return spec.evalError === undefined ? `error: ${outcome.error}` : undefined;
  if (spec.evalError !== undefined) return `no error, but ${shown(outcome.value)}`;
  const wanted = valueOf(spec.value ?? spec.typedResult?.result ?? { boolValue: true });
  return sameValue(outcome.value, wanted) ? undefined : `${shown(outcome.value)}, not ${shown(wanted)}`;
}

function bindingsOf({ bindings = {} }: SpecCase): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(bindings).map(([name, { value, error }]) => [
      name,
      error !== undefined || value === undefined ? new CelError('foo') : valueOf(value),
    ]),
  );
}

/** NaN is NaN here, and numbers of different types are not the same. */
function sameValue(a: Value, b: Value): boolean {
  if (typeNameOf(a) !== typeNameOf(b)) return false;
  return a instanceof Double && b instanceof Double ? Object.is(a.value, b.value) : equals(a, b);
}

const shown = (value: Value): string => {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  return `${typeNameOf(value)} ${text}`;
};
