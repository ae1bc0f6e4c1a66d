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
import { type DefinitionRules, schemaTypes, strictRules } from './definition-rules.ts';
import { checkCompiledRules, inner, type RuleContext, RuleTotals, type Step } from './rule-context.ts';
import { checkStructural, hasContent, unreadable } from './structural.ts';
import { subschemas } from './subschemas.ts';
import { checkValidationRules } from './validation-rules.ts';

/** Keywords that no schema may have. */
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

export interface SchemaRules extends DefinitionRules {
  /** What its rules in CEL may cost is not judged again. */
  readonly ignoresCost?: boolean;
}

/** In steps, those of each rule about a default. */
export function* checkSchema(
  schema: JSONSchemaProps,
  hasStatus: boolean,
  path: FieldPath,
  errors: FieldErrors,
  rules: SchemaRules = strictRules(),
): Generator<void, void> {
  if (hasStatus) checkRootKeywords(schema, path, errors);
  if (schema.nullable === true) errors.push(forbidden(path.child('nullable'), 'nullable cannot be true at the root'));
  const before = errors.length;
  const problem = rules.needsStructural ? unreadable(schema) : undefined;
  if (rules.needsStructural && problem === undefined) {
    errors.push(...checkStructural(schema, path));
    if (errors.length === before) yield* checkDefaults(schema, path, errors, rules);
  }
  const totals = new RuleTotals();
  const ruleErrors = new FieldErrors();
  // Rules are compiled for structural schemas only.
  const context: RuleContext | undefined =
    rules.needsStructural && problem === undefined && errors.length === before
      ? {
          totals,
          isRoot: true,
          cardinality: 1,
          uncorrelated: undefined,
          stored: rules.stored,
          ignoresCost: rules.ignoresCost === true,
        }
      : undefined;
  checkKeywords(schema, path, { errors, ruleErrors, isRoot: true, insideMeta: false, rules }, context);
  if (problem !== undefined && errors.length === before) errors.push(invalid(path, '', problem));
  errors.push(...ruleErrors);
  totals.check(path, errors);
}

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

/** What is known of the place of a schema, and where findings about it go. */
interface Place {
  readonly errors: FieldErrors;
  /** Of compiled rules: they come after the others, and do not keep other rules from being compiled. */
  readonly ruleErrors: FieldErrors;
  readonly isRoot: boolean;
  /** Within `apiVersion`, `kind` or `metadata` of the object or of an embedded one. */
  readonly insideMeta: boolean;
  /** Why there may be no default. */
  readonly noDefaults?: string;
  readonly rules: DefinitionRules;
}

/** @param context absent inside of junctors, where there are no rules */
function checkKeywords(schema: JSONSchemaProps, path: FieldPath, place: Place, context: RuleContext | undefined): void {
  const { errors, ruleErrors } = place;
  const before = errors.length;
  checkSupported(schema, path, place);
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
  for (const { inside, at, step, name } of subschemas(schema, path))
    checkKeywords(
      inside,
      at,
      placeInside(place, schema, step, name),
      context === undefined || step === undefined ? undefined : inner(context, schema, step, path),
    );
  checkExtensions(schema, path, errors);
  checkListSchema(schema, path, errors, place.rules.skippedListRules);
  checkValidationRules(schema, path.child('x-kubernetes-validations'), errors);
  // Errors of rules about an invalid schema are of no use.
  if (context !== undefined && errors.length === before) checkCompiledRules(schema, context, path, ruleErrors);
}

const metaMembers = ['metadata', 'kind', 'apiVersion'];

function placeInside(place: Place, schema: JSONSchemaProps, step?: Step, name = ''): Place {
  const inside = { ...place, isRoot: false };
  if (step === 'additionalProperties' && place.insideMeta)
    return { ...inside, noDefaults: 'inside additionalProperties applying to object metadata' };
  const isMeta = place.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  if (step !== 'properties' || !isMeta || !metaMembers.includes(name)) return inside;
  return { ...inside, insideMeta: true, ...(place.isRoot && { noDefaults: `in top-level ${name}` }) };
}

function checkSupported(
  schema: JSONSchemaProps,
  path: FieldPath,
  { errors, insideMeta, noDefaults, rules }: Place,
): void {
  const { type = '' } = schema;
  if (rules.needsKnownTypes && type !== '' && !schemaTypes.includes(type))
    errors.push(notSupported(path.child('type'), type, schemaTypes));
  if (schema.default !== undefined && noDefaults !== undefined)
    errors.push(forbidden(path.child('default'), `must not be set ${noDefaults}`));
  for (const name of unsupported)
    if (hasContent(schema[name])) errors.push(forbidden(path.child(name), `${name} is not supported`));
  if (type === 'null')
    errors.push(forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative'));
  if (Array.isArray(schema.items))
    errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'));
  if (insideMeta && schema['x-kubernetes-embedded-resource'] === true)
    errors.push(forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
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
