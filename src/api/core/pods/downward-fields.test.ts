import { expect, test } from 'vitest';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkObjectField } from './downward-fields.ts';

const errorsOf = (fieldPath: string): string[] => {
  const errors = new FieldErrors();
  checkObjectField({ apiVersion: 'v1', fieldPath }, ['metadata.name'], FieldPath.of('fieldRef'), errors);
  return errors.map(({ body }) => body.slice(0, 200));
};
const unknown = (fieldPath: string): string =>
  `Invalid value: ${JSON.stringify(fieldPath)}: error converting fieldPath: field label not supported: ${fieldPath}`;

test.each([
  { fieldPath: 'metadata.name', errors: [] },
  { fieldPath: "metadata.labels['a.b/c']", errors: [] },
  {
    fieldPath: "metadata.labels['']",
    errors: [expect.stringContaining('name part must be non-empty'), expect.any(String)],
  },
  {
    fieldPath: "metadata.name['a']",
    errors: [
      'Invalid value: "metadata.name[\'a\']": error converting fieldPath: field label does not support ' +
        "subscript: metadata.name['a']",
    ],
  },
  { fieldPath: "['a']", errors: [unknown("['a']")] },
  { fieldPath: "metadata.labels['a", errors: [unknown("metadata.labels['a")] },
  { fieldPath: "metadata.labels[']", errors: [unknown("metadata.labels[']")] },
])('References to fields: $fieldPath', ({ fieldPath, errors }) => {
  expect(errorsOf(fieldPath)).toEqual(errors);
});

test('A reference with as many brackets as a body has space for is read once', () => {
  expect(errorsOf(`[${"['".repeat(1_000_000)}`)).toHaveLength(1);
  expect(errorsOf(`a${"['".repeat(1_000_000)}']`)).toHaveLength(1);
});
