/**
 * Schemas of custom resources: which parts of OpenAPI they may use.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation |
 *   Validation}
 */
import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { goStruct } from '../../../machinery/go-quote.ts';
import { checkListSchema } from './list-schema.ts';
import { checkDefaults } from './schema-defaults.ts';
import { checkCompiledRules, inner, type RuleContext, RuleTotals, type Step } from './rule-context.ts';
import { checkStructural } from './structural.ts';
import { checkValidationRules } from './validation-rules.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Keywords that no schema may have. A schema with one is not looked at further. */
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;

/**
 * With a status subresource the schema of status stands alone: what the root says beside its properties would be lost.
 */
const rootKeywords = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];
const rootMembers = new Set([
  ...rootKeywords.map((name) => name.charAt(0).toLowerCase() + name.slice(1)),
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

/** @param stored rules that the stored definition has already */
export function checkSchema(
  schema: JSONSchemaProps,
  hasStatus: boolean,
  path: FieldPath,
  errors: FieldErrors,
  stored: ReadonlySet<string> = new Set(),
): void {
  if (hasStatus) checkRootKeywords(schema, path, errors);
  if (schema.nullable === true) errors.push(forbidden(path.child('nullable'), 'nullable cannot be true at the root'));
  const before = errors.length;
  const totals = new RuleTotals();
  const ruleErrors = new FieldErrors();
  checkKeywords(
    schema,
    path,
    { errors, ruleErrors },
    { totals, isRoot: true, cardinality: 1, uncorrelated: undefined, stored },
  );
  const keywordErrors = errors.slice(before);
  errors.push(...ruleErrors);
  totals.check(path, errors);
  if (keywordErrors.some(({ field, type }) => type === 'FieldValueForbidden' && isStructuralObstacle(field))) return;
  const structural = checkStructural(schema, path);
  errors.push(...structural);
  if (structural.length === 0) checkDefaults(schema, path, errors);
}

/** What cannot be read as a structural schema at all. */
const isStructuralObstacle = (field: string): boolean =>
  unsupported.some((name) => field.endsWith(`.${name}`)) || field.endsWith('.items') || field.endsWith('.type');

function checkRootKeywords(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  const { type = '' } = schema;
  if (type !== '' && type !== 'object')
    return void errors.push(
      invalid(
        path.child('type'),
        type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    );
  if (Object.entries(schema).some(([member, value]) => value !== undefined && !rootMembers.has(member))) {
    errors.push(
      invalid(
        path,
        goStruct('apiextensions.JSONSchemaProps', schema),
        `only [${rootKeywords.join(' ')}] fields are allowed at the root of the schema if the status ` +
          'subresource is enabled',
      ),
    );
  }
}

interface SchemaErrors {
  readonly errors: FieldErrors;
  /** Of rules: they come after the others, and do not keep other rules from being compiled. */
  readonly ruleErrors: FieldErrors;
}

/** @param context absent inside of junctors, where there are no rules */
function checkKeywords(
  schema: JSONSchemaProps,
  path: FieldPath,
  { errors, ruleErrors }: SchemaErrors,
  context: RuleContext | undefined,
): void {
  const before = errors.length;
  checkSupported(schema, path, errors);
  if (schema.uniqueItems === true)
    errors.push(
      forbidden(
        path.child('uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  const { additionalProperties: additional, properties = {} } = schema;
  if (additional !== undefined && additional !== true && Object.keys(properties).length > 0)
    errors.push(
      forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'),
    );
  for (const [sub, at, step] of subschemas(schema, path))
    checkKeywords(
      sub,
      at,
      { errors, ruleErrors },
      context === undefined || step === undefined ? undefined : inner(context, schema, step, path),
    );
  checkExtensions(schema, path, errors);
  checkListSchema(schema, path, errors);
  checkValidationRules(schema, path.child('x-kubernetes-validations'), ruleErrors);
  // Errors of rules about an invalid schema are of no use.
  if (context !== undefined && errors.length === before) checkCompiledRules(schema, context, path, ruleErrors);
}

function checkSupported(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  const { type = '' } = schema;
  if (type === 'null')
    errors.push(forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative'));
  else if (type !== '' && !types.includes(type)) errors.push(notSupported(path.child('type'), type, types));
  for (const name of unsupported)
    if (schema[name] !== undefined) errors.push(forbidden(path.child(name), `${name} is not supported`));
  if (Array.isArray(schema.items))
    errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'));
}

/** Every schema directly inside, with its path, properties by name; those of the shape with how they are inside. */
export function* subschemas(schema: JSONSchemaProps, path: FieldPath): Generator<[JSONSchemaProps, FieldPath, Step?]> {
  if (typeof schema.additionalProperties === 'object')
    yield [schema.additionalProperties, path.child('additionalProperties'), 'additionalProperties'];
  for (const name of Object.keys(schema.properties ?? {}).sort())
    yield [schema.properties![name]!, path.child('properties').key(name), 'properties'];
  if (schema.not !== undefined) yield [schema.not, path.child('not')];
  for (const member of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, sub] of (schema[member] ?? []).entries()) yield [sub, path.child(member).index(i)];
  if (schema.items !== undefined && !Array.isArray(schema.items)) yield [schema.items, path.child('items'), 'items'];
}

function checkExtensions(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  const { type = '', 'x-kubernetes-preserve-unknown-fields': preserve, 'x-kubernetes-map-type': mapType } = schema;
  if (preserve === false)
    errors.push(invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  if (mapType === undefined) return;
  const rule = 'must be object if x-kubernetes-map-type is specified';
  if (type === '') errors.push(required(path.child('type'), rule));
  else if (type !== 'object') errors.push(invalid(path.child('type'), type, rule));
  if (mapType !== 'atomic' && mapType !== 'granular')
    errors.push(notSupported(path.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
}
