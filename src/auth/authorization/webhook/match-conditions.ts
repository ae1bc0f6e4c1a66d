/**
 * Conditions in CEL that say which requests a webhook is asked about. The variable is `request`, the spec of a
 * SubjectAccessReview v1 in which every text is set, if to nothing.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/authorization/#using-configuration-file-for-authorization |
 *   Authorization configuration}
 */
import {
  adaptAny,
  boolType,
  type CelType,
  environment,
  listType,
  mapType,
  matchConditionsBudget,
  objectType,
  type Program,
  stringType,
} from '../../../cel/index.ts';
import type { ReviewSpec } from './review.ts';

const texts = listType(stringType);

const ofFields = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
  objectType(`kubernetes.${name}`, (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined));

const ofTexts = (...names: readonly string[]): Record<string, CelType> =>
  Object.fromEntries(names.map((name) => [name, stringType]));

const selectorOf = (name: string): CelType =>
  ofFields(`${name}Attributes`, {
    ...ofTexts('rawSelector'),
    requirements: listType(ofFields(`${name}Requirement`, { ...ofTexts('key', 'operator'), values: texts })),
  });

const resourceTexts = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'];

const requestType = ofFields('SubjectAccessReviewSpec', {
  ...ofTexts('user', 'uid'),
  groups: texts,
  extra: mapType(stringType, texts),
  resourceAttributes: ofFields('ResourceAttributes', {
    ...ofTexts(...resourceTexts),
    fieldSelector: selectorOf('FieldSelector'),
    labelSelector: selectorOf('LabelSelector'),
  }),
  nonResourceAttributes: ofFields('NonResourceAttributes', ofTexts('path', 'verb')),
});

/** In the steps of `Environment.compiling`. Throws with what is wrong with the expression. */
export function* compileCondition(expression: string): Generator<void, Program> {
  const compiled = yield* environment({ variables: { request: requestType } }).compiling(expression, boolType);
  if ('failure' in compiled) throw new Error(compiled.failure);
  return compiled;
}

/** Whether all conditions hold; errors where none is false. */
export type MatchOutcome =
  | { readonly matches: boolean; readonly errors?: undefined }
  | { readonly errors: readonly string[] };

export function evaluateConditions(conditions: readonly Program[], spec: ReviewSpec): MatchOutcome {
  const bindings = { request: adaptAny(everyText(spec)) };
  const errors: string[] = [];
  let budget = matchConditionsBudget;
  for (const condition of conditions) {
    const outcome = condition.evaluate(bindings, budget);
    budget = Math.max(0, budget - outcome.cost);
    if ('error' in outcome) errors.push(`cel evaluation error: expression resulted in error: ${outcome.error}`);
    else if (outcome.value !== true) return { matches: false };
  }
  return errors.length === 0 ? { matches: true } : { errors };
}

const noTexts = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, '']));

function everyText({
  user,
  uid = '',
  groups = [],
  extra = {},
  resourceAttributes,
  nonResourceAttributes,
}: ReviewSpec): object {
  return {
    user,
    uid,
    groups,
    extra,
    ...(resourceAttributes === undefined
      ? {}
      : { resourceAttributes: { ...noTexts(resourceTexts), ...resourceAttributes } }),
    ...(nonResourceAttributes === undefined ? {} : { nonResourceAttributes }),
  };
}
