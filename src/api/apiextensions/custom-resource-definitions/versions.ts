/**
 * The parts of a version. Upstream keeps what all versions have alike once, above them, and its errors say so: they
 * name `spec.validation` and not `spec.versions[0].schema` unless versions differ.
 */
import type { CustomResourceDefinitionVersion } from '../../gen/types/apiextensions-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkColumn, checkSubresources } from './json-paths.ts';
import { checkSelectableFields } from './selectable-fields.ts';
import type { DefinitionRules } from './definition-rules.ts';
import { checkSchema } from './schema.ts';

type Version = CustomResourceDefinitionVersion;

interface Part {
  readonly member: 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';
  /** Its name where all versions share it. */
  readonly shared: string;
  check(
    version: Version,
    path: FieldPath,
    errors: FieldErrors,
    rules: DefinitionRules,
  ): Generator<void, void> | undefined | void;
}

const parts: readonly Part[] = [
  {
    member: 'schema',
    shared: 'validation',
    check: (version, path, errors, rules) => {
      const { schema, subresources } = version;
      return schema?.openAPIV3Schema === undefined
        ? undefined
        : checkSchema(
            schema.openAPIV3Schema,
            subresources?.status !== undefined,
            path.child('openAPIV3Schema'),
            errors,
            { ...rules, ignoresCost: rules.isUnchanged(version) },
          );
    },
  },
  {
    member: 'subresources',
    shared: 'subresources',
    check: ({ subresources }, path, errors) => {
      if (subresources !== undefined) checkSubresources(subresources, path, errors);
    },
  },
  {
    member: 'additionalPrinterColumns',
    shared: 'additionalPrinterColumns',
    check: ({ additionalPrinterColumns: columns = [] }, path, errors) =>
      columns.forEach((column, i) => checkColumn(column, path.index(i), errors)),
  },
  {
    member: 'selectableFields',
    shared: 'selectableFields',
    check: ({ selectableFields = [], schema }, path, errors) =>
      checkSelectableFields(selectableFields, schema?.openAPIV3Schema, path, errors),
  },
];

/**
 * Appends the errors of what versions have of their own; returns those of what they share, which come later. In steps,
 * those of schemas.
 */
export function* checkVersionParts(
  versions: readonly Version[],
  path: FieldPath,
  specPath: FieldPath,
  errors: FieldErrors,
  rules: DefinitionRules,
): Generator<void, FieldErrors> {
  const [first, ...others] = versions;
  const shared = new FieldErrors();
  if (first === undefined) return shared;
  const sharedParts = new Set(
    parts.filter(({ member }) => others.every((version) => isEqual(version[member], first[member]))),
  );
  for (const [i, version] of versions.entries())
    for (const part of parts)
      if (!sharedParts.has(part)) yield* part.check(version, path.index(i).child(part.member), errors, rules) ?? [];
  for (const part of sharedParts) yield* part.check(first, specPath.child(part.shared), shared, rules) ?? [];
  return shared;
}
