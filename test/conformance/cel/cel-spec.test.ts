import { describe, expect, test } from 'vitest';
import { deviationOf } from './deviations.ts';
import { differenceOf, Unsupported } from './run-case.ts';
import { casesOf } from './suites.ts';

const suites = [
  'basic',
  'bindings_ext',
  'comparisons',
  'conversions',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'macros2',
  'optionals',
  'parse',
  'plumbing',
  'string',
  'string_ext',
  'timestamps',
  'type_deductions',
];

describe.each(suites)('CEL conformance data: %s', (suite) => {
  const cases = casesOf(suite);
  test('The CEL conformance suite has cases', () => expect(cases.length).toBeGreaterThan(2));
  for (const spec of cases) {
    const reason = deviationOf(spec);
    if (reason !== undefined) test.skip(`${spec.id}: ${reason}`, () => undefined);
    else test(spec.id, () => expect(outcome(spec)).toBeUndefined());
  }
});

function outcome(spec: Parameters<typeof differenceOf>[0]): string | undefined {
  try {
    return differenceOf(spec);
  } catch (error) {
    if (error instanceof Unsupported) return `not supported: ${error.message}`;
    throw error;
  }
}
