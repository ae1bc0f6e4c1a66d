/**
 * What a list says of its items: sets and maps. @see {@link
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy | Merge strategy}
 */
import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { type FieldErrors, findsErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goStrings, goStruct } from '../../../machinery/go-quote.ts';
import { repeatedAt } from '../../meta/checks.ts';

const typeMember = 'x-kubernetes-list-type';
const keysMember = 'x-kubernetes-list-map-keys';

/** Rules that came later than lists of such types. */
export type ListRule = 'atomic items of sets' | 'keys of maps';

/** @param skipped rules that the stored definition breaks */
export function checkListSchema(
  schema: JSONSchemaProps,
  path: FieldPath,
  errors: FieldErrors,
  skipped: ReadonlySet<ListRule> = new Set(),
): void {
  const { type = '', [typeMember]: listType, [keysMember]: keys = [] } = schema;
  if (listType !== undefined) {
    const rule = `must be array if ${typeMember} is specified`;
    if (type === '') errors.push(required(path.child('type'), rule));
    else if (type !== 'array') errors.push(invalid(path.child('type'), type, rule));
    else if (listType === 'set' && !skipped.has('atomic items of sets'))
      checkSetItems(schema, path.child('items'), errors);
    if (!['atomic', 'set', 'map'].includes(listType))
      errors.push(notSupported(path.child(typeMember), listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0) {
    const rule = `must be map if ${keysMember} is non-empty`;
    if (listType === undefined) errors.push(required(path.child(typeMember), rule));
    else if (listType !== 'map') errors.push(invalid(path.child(typeMember), listType, rule));
  }
  if (listType === 'map') checkMapList(schema, keys, path, errors);
  if (!skipped.has('keys of maps')) checkItems(schema, path.child('items'), errors);
}

export const breaksListRule = (schema: JSONSchemaProps, rule: ListRule): boolean =>
  findsErrors((errors) => {
    if (rule === 'keys of maps') checkItems(schema, FieldPath.root, errors);
    else if (schema[typeMember] === 'set') checkSetItems(schema, FieldPath.root, errors);
  });

function checkMapList({ items }: JSONSchemaProps, keys: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (keys.length === 0) errors.push(required(path.child(keysMember), `must not be empty if ${typeMember} is map`));
  if (items === undefined)
    return void errors.push(required(path.child('items'), `must have a schema if ${typeMember} is map`));
  if (Array.isArray(items))
    return void errors.push(
      invalid(
        path.child('items'),
        goStruct('apiextensions.JSONSchemaPropsOrArray', items),
        `must only have a single schema if ${typeMember} is map`,
      ),
    );
  if (items.type !== 'object')
    return void errors.push(
      invalid(path.child('items', 'type'), items.type ?? '', `must be object if parent array's ${typeMember} is map`),
    );
  const repeated = repeatedAt(keys);
  keys.forEach((key, i) => {
    const property = items.properties?.[key];
    if (property === undefined)
      errors.push(invalid(path.child(keysMember), goStrings(keys), 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object')
      errors.push(
        invalid(
          path.child('items', 'properties').key(key).child('type'),
          'object',
          `must be a scalar type if parent array's ${typeMember} is map`,
        ),
      );
    if (repeated.has(i))
      errors.push(invalid(path.child(keysMember), goStrings(keys), 'must not contain duplicate entries'));
  });
}

/** Items of a map have their keys. */
function checkItems(
  { items, [typeMember]: listType, [keysMember]: keys = [] }: JSONSchemaProps,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if ((listType !== 'map' && listType !== 'set') || items === undefined || Array.isArray(items)) return;
  if (items.nullable === true)
    errors.push(forbidden(path.child('nullable'), `cannot be nullable when ${typeMember} is ${listType}`));
  if (listType !== 'map') return;
  const needed = new Set(items.required);
  for (const key of keys) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    if (property.default === undefined && !needed.has(key))
      errors.push(
        required(
          path.child('properties').key(key).child('default'),
          `this property is in ${keysMember}, so it must have a default or be a required property`,
        ),
      );
    if (property.nullable === true)
      errors.push(
        forbidden(
          path.child('properties').key(key).child('nullable'),
          `this property is in ${keysMember}, so it cannot be nullable`,
        ),
      );
  }
}

/** Items of a set are compared as a whole. Of maps upstream shows the wrong member, the type of a list, if at all. */
function checkSetItems({ items }: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  if (items === undefined || Array.isArray(items)) return;
  const { type, [typeMember]: listType, 'x-kubernetes-map-type': mapType } = items;
  const rule = `must be atomic as item of a list with ${typeMember}=set`;
  if (type === 'array' && listType !== undefined && listType !== 'atomic')
    errors.push(invalid(path.child(typeMember), listType, rule));
  if (type === 'object' && mapType !== 'atomic')
    errors.push(invalid(path.child('x-kubernetes-map-type'), listType, rule));
}
