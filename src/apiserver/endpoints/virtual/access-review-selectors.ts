/**
 * The selectors of a review: text, or requirements. Operators of newer clients that this server does not know restrict
 * nothing, and the response says so. They may have hundreds of thousands of requirements, and are parsed in steps.
 */
import type { FieldSelectorAttributes, LabelSelectorAttributes } from '../../../api/gen/types/authorization-v1.ts';
import { type FieldTerm, readFieldSelector } from '../../../machinery/field-selector.ts';
import {
  type Requirement,
  requirementOf,
  type SelectorOperator,
  sortByKey,
} from '../../../machinery/label-selector.ts';
import { readLabelSelector } from '../../../machinery/label-selector-text.ts';

type Steps<T> = Generator<void, readonly T[]>;

/** Requirements that are read in one step. */
const stepLength = 1000;

export function fieldsOfReview(selector: FieldSelectorAttributes | undefined, problems: string[]): Steps<FieldTerm> {
  const { rawSelector = '', requirements = [] } = selector ?? {};
  if (rawSelector !== '') return parsed(readFieldSelector(rawSelector), 'fieldSelector', problems);
  return understood(
    requirements,
    ({ key = '', operator, values = [] }) => fieldTerm(key, operator, values),
    'fieldSelector',
    problems,
  );
}

export function* labelsOfReview(selector: LabelSelectorAttributes | undefined, problems: string[]): Steps<Requirement> {
  const { rawSelector = '', requirements = [] } = selector ?? {};
  if (rawSelector !== '')
    return sortByKey([...(yield* parsed(readLabelSelector(rawSelector), 'labelSelector', problems))]);
  return yield* understood(
    requirements,
    ({ key = '', operator, values = [] }) => labelRequirement(key, operator, values),
    'labelSelector',
    problems,
  );
}

function fieldTerm(field: string, operator: string | undefined, values: readonly string[]): FieldTerm | undefined {
  if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  return { field, operator: operator === 'In' ? '=' : '!=', value: values[0]! };
}

const labelOperators: Readonly<Record<string, SelectorOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function labelRequirement(
  key: string,
  operator: string | undefined,
  values: readonly string[],
): Requirement | undefined {
  const known =
    operator !== undefined && Object.hasOwn(labelOperators, operator) ? labelOperators[operator]! : undefined;
  return known === undefined ? undefined : requirementOf(key, known, values);
}

function* parsed<T>(reading: Iterable<T | undefined>, name: string, problems: string[]): Steps<T> {
  try {
    const terms: T[] = [];
    for (const term of reading) {
      if (term !== undefined) terms.push(term);
      if (term === undefined || terms.length % stepLength === 0) yield;
    }
    return terms;
  } catch {
    return ignored(name, problems);
  }
}

/** The requirements that are understood still hold: fewer objects than allowed are no danger, more would be. */
function* understood<R, T>(
  requirements: readonly R[],
  read: (requirement: R) => T | undefined,
  name: string,
  problems: string[],
): Steps<T> {
  const known: T[] = [];
  for (const [i, requirement] of requirements.entries()) {
    const term = read(requirement);
    if (term !== undefined) known.push(term);
    if ((i + 1) % stepLength === 0) yield;
  }
  if (known.length < requirements.length) ignored(name, problems);
  return known;
}

function ignored(name: string, problems: string[]): [] {
  problems.push(`spec.resourceAttributes.${name} ignored due to parse error`);
  return [];
}
