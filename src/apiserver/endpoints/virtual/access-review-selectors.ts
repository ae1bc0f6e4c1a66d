/**
 * The selectors of a review: text, or requirements. What a newer client knows and this server does not narrows nothing
 * down; who asks is told.
 */
import type { FieldSelectorAttributes, LabelSelectorAttributes } from '../../../api/gen/types/authorization-v1.ts';
import { type FieldTerm, parseFieldSelector } from '../../../machinery/field-selector.ts';
import { createRequirement, parseLabelSelector, type Requirement, type SelectorOperator } from '../../../machinery/label-selector.ts';

export function fieldsOfReview(selector: FieldSelectorAttributes | undefined, problems: string[]): readonly FieldTerm[] {
  const { rawSelector = '', requirements = [] } = selector ?? {};
  if (rawSelector !== '') return parsed(() => parseFieldSelector(rawSelector), 'fieldSelector', problems);
  return understood(requirements.map(({ key = '', operator, values = [] }) => fieldTerm(key, operator, values)), 'fieldSelector', problems);
}

export function labelsOfReview(selector: LabelSelectorAttributes | undefined, problems: string[]): readonly Requirement[] {
  const { rawSelector = '', requirements = [] } = selector ?? {};
  if (rawSelector !== '') return parsed(() => parseLabelSelector(rawSelector), 'labelSelector', problems);
  return understood(requirements.map(({ key = '', operator, values = [] }) => labelRequirement(key, operator, values)), 'labelSelector', problems);
}

function fieldTerm(field: string, operator: string | undefined, values: readonly string[]): FieldTerm | undefined {
  if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  return { field, operator: operator === 'In' ? '=' : '!=', value: values[0]! };
}

const labelOperators: Readonly<Record<string, SelectorOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

function labelRequirement(key: string, operator: string | undefined, values: readonly string[]): Requirement | undefined {
  const known = operator !== undefined && Object.hasOwn(labelOperators, operator) ? labelOperators[operator]! : undefined;
  try {
    return known === undefined ? undefined : createRequirement(key, known, values);
  } catch {
    return undefined;
  }
}

function parsed<T>(parse: () => readonly T[], name: string, problems: string[]): readonly T[] {
  try {
    return parse();
  } catch {
    return ignored(name, problems);
  }
}

/** The requirements that are understood still hold: fewer objects than allowed are no danger, more would be. */
function understood<T>(requirements: readonly (T | undefined)[], name: string, problems: string[]): readonly T[] {
  const known = requirements.filter((requirement) => requirement !== undefined);
  if (known.length < requirements.length) ignored(name, problems);
  return known;
}

function ignored(name: string, problems: string[]): [] {
  problems.push(`spec.resourceAttributes.${name} ignored due to parse error`);
  return [];
}
