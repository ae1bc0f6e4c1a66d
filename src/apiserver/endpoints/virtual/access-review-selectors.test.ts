import { describe, expect, test } from 'vitest';
import type { FieldSelectorAttributes, LabelSelectorAttributes } from '../../../api/gen/types/authorization-v1.ts';
import { fieldsOfReview, labelsOfReview } from './access-review-selectors.ts';

function finish<T>(steps: Generator<void, readonly T[]>): { readonly terms: readonly T[]; readonly steps: number } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return { terms: step.value, steps: count };
  }
}

const ignored = (name: string): string[] => [`spec.resourceAttributes.${name} ignored due to parse error`];

describe('the field selector of a review', () => {
  test.each<{ name: string; selector?: FieldSelectorAttributes; terms: object[]; problems?: string[] }>([
    { name: 'that is absent restricts nothing', terms: [] },
    {
      name: 'as text, sorted by field',
      selector: { rawSelector: 'spec.nodeName=a,b!=c' },
      terms: [
        { field: 'b', operator: '!=', value: 'c' },
        { field: 'spec.nodeName', operator: '=', value: 'a' },
      ],
    },
    {
      name: 'as requirements',
      selector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['x'] },
          { key: 'b', operator: 'NotIn', values: ['y'] },
        ],
      },
      terms: [
        { field: 'a', operator: '=', value: 'x' },
        { field: 'b', operator: '!=', value: 'y' },
      ],
    },
    {
      name: 'as text that cannot be read restricts nothing',
      selector: { rawSelector: 'a' },
      terms: [],
      problems: ignored('fieldSelector'),
    },
    {
      name: 'keeps the requirements that are understood',
      selector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['x', 'y'] },
          { key: 'b', operator: 'Exists' },
          { key: 'c', operator: 'In', values: ['z'] },
        ],
      },
      terms: [{ field: 'c', operator: '=', value: 'z' }],
      problems: ignored('fieldSelector'),
    },
  ])('The field selector of a review: $name', ({ selector, terms, problems = [] }) => {
    const found: string[] = [];
    expect(finish(fieldsOfReview(selector, found)).terms).toEqual(terms);
    expect(found).toEqual(problems);
  });
});

describe('the label selector of a review', () => {
  test.each<{ name: string; selector?: LabelSelectorAttributes; keys: string[]; problems?: string[] }>([
    { name: 'that is absent restricts nothing', keys: [] },
    { name: 'as text, sorted by key', selector: { rawSelector: 'b in (x),a' }, keys: ['a', 'b'] },
    {
      name: 'as requirements of every operator',
      selector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['x'] },
          { key: 'b', operator: 'NotIn', values: ['x'] },
          { key: 'c', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist' },
        ],
      },
      keys: ['a', 'b', 'c', 'd'],
    },
    {
      name: 'as text that cannot be read restricts nothing',
      selector: { rawSelector: 'a in' },
      keys: [],
      problems: ignored('labelSelector'),
    },
    {
      name: 'keeps the requirements whose operator is known',
      selector: {
        requirements: [
          { key: 'a', operator: 'Near', values: ['x'] },
          { key: 'b', operator: 'toString' },
          { key: 'c', operator: 'Exists' },
        ],
      },
      keys: ['c'],
      problems: ignored('labelSelector'),
    },
  ])('The label selector of a review: $name', ({ selector, keys, problems = [] }) => {
    const found: string[] = [];
    expect(finish(labelsOfReview(selector, found)).terms.map(({ key }) => key)).toEqual(keys);
    expect(found).toEqual(problems);
  });

  test('The label selector of a review of many requirements is read in steps', () => {
    const requirements = Array.from({ length: 5000 }, (_, i) => ({ key: `k${i}`, operator: 'Exists' }));
    const { terms, steps } = finish(labelsOfReview({ requirements }, []));
    expect([terms.length, steps]).toEqual([5000, 6]);
  });
});
