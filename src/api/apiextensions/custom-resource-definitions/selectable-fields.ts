/**
 * Selectable fields: the fields of custom objects that field selectors may name.
 *
 * @see {@link https://kep.k8s.io/4358 | KEP-4358}
 */
import { duplicate, invalid, required, tooMany } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import type { JSONSchemaProps, SelectableField } from '../../gen/types/apiextensions-v1.ts';
import { resolveFieldPath } from './json-paths.ts';

const maxSelectableFields = 8;

export function checkSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  fields.forEach(({ jsonPath = '' }, i) => {
    const at = path.index(i).child('jsonPath');
    if (jsonPath === '') return void errors.push(required(at));
    const found = resolveFieldPath(jsonPath, schema);
    if (typeof found === 'string') return void errors.push(invalid(at, jsonPath, `is an invalid path: ${found}`));
    if (/^\.metadata\b/.test(jsonPath)) errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.type ?? ''))
      errors.push(
        invalid(
          at,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with ' +
            'formats are allowed.',
        ),
      );
    if (seen.has(jsonPath)) errors.push(duplicate(path.index(i), jsonPath));
    seen.add(jsonPath);
  });
  if (seen.size > maxSelectableFields) errors.push(tooMany(path, seen.size, maxSelectableFields));
}

/** The fields as field selectors name them: without the first dot of their path. */
export const selectableFieldNames = (fields: readonly SelectableField[] = []): string[] =>
  fields.map(({ jsonPath = '' }) => jsonPath.replace(/^\./, ''));
