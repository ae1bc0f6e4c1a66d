/** Paths into custom objects, as definitions name them for columns, scale and field selectors. */
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  JSONSchemaProps,
} from '../../gen/types/apiextensions-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

const oneOf = (values: readonly string[]): string => `must be one of ${values.join(',')}`;

/** Whether the path is a simple one like `.a.b`. */
function checkSimplePath(text: string, path: FieldPath, errors: FieldErrors): boolean {
  if (text.startsWith('.')) return true;
  errors.push(invalid(path, text, 'must be a simple json path starting with .'));
  return false;
}

export function checkSubresources({ scale }: CustomResourceSubresources, path: FieldPath, errors: FieldErrors): void {
  if (scale === undefined) return;
  checkReplicasPath(scale.specReplicasPath ?? '', '.spec', path.child('scale', 'specReplicasPath'), errors);
  checkReplicasPath(scale.statusReplicasPath ?? '', '.status', path.child('scale', 'statusReplicasPath'), errors);
  const { labelSelectorPath: selector = '' } = scale;
  const at = path.child('scale', 'labelSelectorPath');
  if (selector !== '' && checkSimplePath(selector, at, errors) && !/^\.(spec|status)\./.test(selector))
    errors.push(invalid(at, selector, 'should be a json path under either .spec or .status'));
}

function checkReplicasPath(text: string, under: string, path: FieldPath, errors: FieldErrors): void {
  if (text === '') errors.push(required(path));
  else if (checkSimplePath(text, path, errors) && !text.startsWith(`${under}.`))
    errors.push(invalid(path, text, `should be a json path under ${under}`));
}

export function checkColumn(
  { name = '', type = '', format = '', jsonPath = '' }: CustomResourceColumnDefinition,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === '') errors.push(required(path.child('name')));
  if (type === '') errors.push(required(path.child('type'), oneOf(columnTypes)));
  else if (!columnTypes.includes(type)) errors.push(invalid(path.child('type'), type, oneOf(columnTypes)));
  if (format !== '' && !columnFormats.includes(format))
    errors.push(invalid(path.child('format'), format, oneOf(columnFormats)));
  if (jsonPath === '') errors.push(required(path.child('JSONPath')));
  else checkSimplePath(jsonPath, path.child('JSONPath'), errors);
}

const segment = /^\.([A-Za-z_][A-Za-z0-9_]*)|^\['((?:[^'\\]|\\.)+)'\]/;

/** Schema of the field that `.a.b` or `.a['b-c']` names, or what is wrong with the path. */
export function resolveFieldPath(text: string, schema: JSONSchemaProps | undefined): JSONSchemaProps | string {
  let rest = text;
  let current = schema;
  while (rest !== '') {
    const match = segment.exec(rest);
    if (match === null)
      return /^[.[]/.test(rest) ? 'does not refer to a valid field' : `expected [ or . but got: ${rest}`;
    current = memberOf(current, match[1] ?? match[2]!.replace(/\\(.)/g, '$1'));
    if (current === undefined) return 'does not refer to a valid field';
    rest = rest.slice(match[0].length);
  }
  return current ?? 'does not refer to a valid field';
}

const memberOf = (schema: JSONSchemaProps | undefined, name: string): JSONSchemaProps | undefined =>
  schema?.properties?.[name] ??
  (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);
