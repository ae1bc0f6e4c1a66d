/**
 * Values of API types as Go's `%#v` prints them, which is how error messages show what is not a text or a number.
 * Names, order and types of the fields are those of the schema: in what is shown here, Go's internal types have the
 * same ones, but for the fields that are named below.
 *
 * @see {@link https://pkg.go.dev/fmt | package fmt}
 */
import { goBytes, GoSyntax } from '../machinery/go-quote.ts';
import { goDate, goFields, goPointer, goText } from '../machinery/go-struct.ts';
import { stringifyJson } from '../machinery/json/writer.ts';
import { parseQuantity } from '../machinery/quantity.ts';
import type { Field } from '../machinery/schema.ts';
import { TruncatedText } from '../machinery/truncated-text.ts';
import type { JsonValue } from '../machinery/value.ts';
import { schemas } from './schemas.ts';

type Members = Readonly<Record<string, unknown>>;

/** Pointers in the schema that are values in Go's internal types. */
const internalValues: ReadonlySet<string> = new Set(['apps/v1.RollingUpdateStatefulSetStrategy.partition']);

/** Go's names of element types that the schema has as plain texts. */
const internalNames: Readonly<Record<string, string>> = {
  'batch/v1.UncountedTerminatedPods.succeeded': 'types.UID',
  'batch/v1.UncountedTerminatedPods.failed': 'types.UID',
};

/** @param id of the type, such as `core/v1.Toleration` */
export function shownStruct(id: string, value: unknown): GoSyntax {
  const members = (value ?? {}) as Members;
  return goFields(
    goName(id),
    Object.fromEntries(
      schemas
        .type(id)
        .fields.map((field) => [
          field.inline === true ? field.type.slice(field.type.indexOf('.') + 1) : field.name,
          field.inline === true ? shownStruct(field.type, members).text : shownField(id, field, members[field.json]),
        ]),
    ),
  );
}

/** JSON of any kind, as it was sent. */
const shownRawExtension = (value: JsonValue | undefined): GoSyntax =>
  goFields('runtime.RawExtension', {
    Raw: value === undefined ? '[]uint8(nil)' : goBytes(Buffer.from(stringifyJson(value))).text,
    Object: 'runtime.Object(nil)',
  });

/** A list of such values: `[]core.NodeSelectorTerm{core.NodeSelectorTerm{…}}`. */
export function shownStructs(id: string, values: readonly unknown[] | undefined): GoSyntax {
  return new GoSyntax(listText(`[]${goName(id)}`, values, (value) => shownStruct(id, value).text));
}

/** `resource.ResourceList` and other maps of quantities. */
export const shownQuantities = (typeName: string, amounts: Readonly<Record<string, string>> | undefined): GoSyntax =>
  new GoSyntax(mapText(typeName, amounts, (amount) => shownScalar('quantity', amount)));

/** `core/v1.Toleration` is `core.Toleration` inside of a server; what all groups share has the name of its version. */
function goName(id: string): string {
  const dot = id.indexOf('.');
  const [group, version] = id.slice(0, dot).split('/');
  return `${group === 'meta' ? version : group}${id.slice(dot)}`;
}

function shownField(id: string, field: Field, value: unknown): string {
  const key = `${id}.${field.json}`;
  const isStruct = field.type.includes('.');
  const element = isStruct ? goName(field.type) : (internalNames[key] ?? goScalarName(field));
  const show = (item: unknown): string =>
    isStruct ? shownStruct(field.type, item).text : shownScalar(field.type, item);
  if (field.mapKey !== undefined) {
    const keyName = field.keyNamed === undefined ? field.mapKey : goName(field.keyNamed);
    const typeName = field.alias === undefined ? `map[${keyName}]${element}` : goName(field.alias);
    return mapText(typeName, value as Members | undefined, show);
  }
  if (field.repeated === true) {
    const typeName = field.alias === undefined ? `[]${element}` : goName(field.alias);
    return listText(typeName, value as readonly unknown[] | undefined, show);
  }
  if (field.pointer !== true || internalValues.has(key)) return show(value);
  // A time says what it is, also behind a pointer.
  if (field.type === 'time' || field.type === 'microtime') return value === undefined ? '<nil>' : show(value);
  return goPointer(element, value);
}

const goScalarName = ({ type, named }: Field): string =>
  named === undefined ? (scalarNames[type] ?? type) : goName(named);

const scalarNames: Readonly<Record<string, string>> = {
  double: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  rawExtension: 'runtime.RawExtension',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  duration: 'v1.Duration',
};

function shownScalar(type: string, value: unknown): string {
  switch (type) {
    case 'string':
      return goText(value as string | undefined);
    case 'bool':
      return String(value ?? false);
    case 'bytes':
      return value === undefined ? '[]uint8(nil)' : goBytes(value as Uint8Array).text;
    case 'time':
    case 'microtime':
      return goDate(value as string | undefined);
    case 'intOrString':
      return goIntOrString(value as number | string | undefined).text;
    case 'rawExtension':
      return shownRawExtension(value as JsonValue | undefined).text;
    case 'quantity':
      return shownQuantity((value as string | undefined) ?? '0').text;
    default:
      return String(value ?? 0);
  }
}

/** Upstream keeps the text that was read where it is canonical by a cheap test, and makes others anew when asked. */
export function shownQuantity(text: string): GoSyntax {
  const quantity = parseQuantity(text);
  return goFields('resource.Quantity', {
    i: `resource.int64Amount{value:${quantity.unscaled}, scale:${quantity.scale}}`,
    d: 'resource.infDecAmount{Dec:(*inf.Dec)(nil)}',
    s: goText(quantity.toString() === text ? text : ''),
    Format: goText(quantity.format),
  });
}

/** `intstr.IntOrString{Type:0, IntVal:1, StrVal:""}` */
export const goIntOrString = (value: number | string = 0): GoSyntax =>
  goFields('intstr.IntOrString', {
    Type: typeof value === 'string' ? '1' : '0',
    IntVal: typeof value === 'string' ? '0' : String(value),
    StrVal: goText(typeof value === 'string' ? value : ''),
  });

function listText(typeName: string, values: readonly unknown[] | undefined, show: (value: unknown) => string): string {
  if (values === undefined) return `${typeName}(nil)`;
  const text = new TruncatedText().add(`${typeName}{`);
  return text
    .addAll(values, ', ', (value) => text.add(show(value)))
    .add('}')
    .toString();
}

function mapText(typeName: string, values: Members | undefined, show: (value: unknown) => string): string {
  if (values === undefined) return `${typeName}(nil)`;
  const text = new TruncatedText().add(`${typeName}{`);
  return text
    .addAll(Object.keys(values).sort(), ', ', (key) => text.add(`${goText(key)}:${show(values[key])}`))
    .add('}')
    .toString();
}
