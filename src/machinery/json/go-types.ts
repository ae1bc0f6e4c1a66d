/** How Go names types and values: the messages of upstream's decoder contain both. */
import type { Element } from '../codec/plan.ts';
import type { Field } from '../schema.ts';
import type { JsonValue } from '../value.ts';
import { JsonNumber } from './number.ts';

/** `v1.Container` of `core/v1.Container`. */
export const goNameOf = (fullName: string): string => fullName.slice(fullName.lastIndexOf('/') + 1);

const goNames: Readonly<Record<string, string>> = {
  bytes: '[]uint8',
  double: 'float64',
  goDuration: 'time.Duration',
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  rawExtension: 'runtime.RawExtension',
  unknown: 'runtime.Unknown',
  fieldsV1: 'v1.FieldsV1',
  json: 'v1.JSON',
  any: 'interface {}',
};

/** The type of one value: of a field, of a list's elements, of a map's values. */
export function goTypeOf(element: Element, field?: Field): string {
  if (field?.named !== undefined && element.fieldType !== 'struct') return goNameOf(field.named);
  if (element.fieldType === 'struct') return goNameOf(element.type);
  if (element.fieldType === 'texts') return field?.type.includes('.') === true ? goNameOf(field.type) : '[]string';
  if ('type' in element) return goNameOf(element.type);
  return goNames[element.fieldType] ?? element.fieldType;
}

/** What the decoder calls a value that does not fit. */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof JsonNumber || typeof value === 'bigint') return 'number';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
