/**
 * By which rules a definition is judged. One that is stored may be older than a rule: an update need not mend what the
 * stored one has broken already.
 */
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../gen/types/apiextensions-v1.ts';
import { runtimeBudget } from '../../../cel/index.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { gathered } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { RuleBudget } from '../object-rules.ts';
import { breaksListRule, type ListRule } from './list-schema.ts';
import { rulesOf } from './rule-context.ts';
import { hasUnprunedDefaults } from './schema-defaults.ts';
import { checkStructural, unreadable } from './structural.ts';
import { someSchema } from './subschemas.ts';

/** `type` may be one of these. */
export const schemaTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

export interface DefinitionRules {
  /** Rules in CEL that are stored already: they may be in a newer language than new ones. */
  readonly stored: ReadonlySet<string>;
  readonly needsSchemas: boolean;
  readonly needsStructural: boolean;
  /** Defaults have no fields that would be pruned. */
  readonly needsPrunedDefaults: boolean;
  readonly needsKnownTypes: boolean;
  readonly skippedListRules: ReadonlySet<ListRule>;
  /** Whether a schema of this version is what it was: what its rules may cost has been judged before. */
  isUnchanged(version: CustomResourceDefinitionVersion): boolean;
  /** Whether rules in CEL may compare with an old value that is not there. */
  readonly isRatcheting: boolean;
  /** Of the rules about defaults. */
  readonly budget: RuleBudget;
}

/** For a definition, or a schema, that is new. */
export const strictRules = (isRatcheting = true): DefinitionRules => ({
  stored: new Set(),
  needsSchemas: true,
  needsStructural: true,
  needsPrunedDefaults: true,
  needsKnownTypes: true,
  skippedListRules: new Set(),
  isUnchanged: () => false,
  isRatcheting,
  budget: { left: runtimeBudget },
});

export function definitionRules(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
  isRatcheting: boolean,
): DefinitionRules {
  const strict = strictRules(isRatcheting);
  if (old === undefined) return strict;
  const before = schemasOf(old);
  const has = (found: (schema: JSONSchemaProps) => boolean): boolean =>
    before.some((schema) => someSchema(schema, found));
  // What prunes, defaults or extends has to know the shape of objects.
  const needsShape =
    spec.preserveUnknownFields !== true ||
    schemasOf(spec).some((schema) => someSchema(schema, (inside) => hasDefault(inside) || isExtended(inside)));
  return {
    ...strict,
    stored: rulesOf(old),
    needsSchemas: (old.versions ?? []).every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    needsStructural: needsShape || !before.some(isNonStructural),
    needsPrunedDefaults: !before.some((schema) => !isNonStructural(schema) && hasUnprunedDefaults(schema)),
    needsKnownTypes: !has(({ type = '' }) => type !== '' && !schemaTypes.includes(type)),
    skippedListRules: new Set(
      (['atomic items of sets', 'keys of maps'] as const).filter((rule) =>
        has((schema) => breaksListRule(schema, rule)),
      ),
    ),
    isUnchanged: ({ name, schema }) =>
      (old.versions ?? []).some((version) => version.name === name && isEqual(version.schema, schema)),
  };
}

export const hasDefaults = (spec: CustomResourceDefinitionSpec): boolean =>
  schemasOf(spec).some((schema) => someSchema(schema, hasDefault));

const schemasOf = ({ versions = [] }: CustomResourceDefinitionSpec): JSONSchemaProps[] =>
  versions.map(({ schema }) => schema?.openAPIV3Schema).filter((schema) => schema !== undefined);

const isNonStructural = (schema: JSONSchemaProps): boolean =>
  unreadable(schema) !== undefined || gathered(() => checkStructural(schema, FieldPath.root)).length > 0;

const hasDefault = (schema: JSONSchemaProps): boolean => schema.default !== undefined;

const isExtended = (schema: JSONSchemaProps): boolean =>
  schema['x-kubernetes-embedded-resource'] === true ||
  schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
  schema['x-kubernetes-int-or-string'] === true ||
  schema['x-kubernetes-list-type'] !== undefined ||
  (schema['x-kubernetes-list-map-keys'] ?? []).length > 0 ||
  (schema['x-kubernetes-validations'] ?? []).length > 0;
