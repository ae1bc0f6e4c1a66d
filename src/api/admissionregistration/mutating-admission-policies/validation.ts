/**
 * Policies in CEL that change objects.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/ | Mutating Admission
 *   Policy}
 */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
} from '../../gen/types/admissionregistration-v1alpha1.ts';
import { appliedObjectType, type CelType, jsonPatchType } from '../../../cel/index.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkEnum } from '../../meta/checks.ts';
import { checkExpression } from '../match-conditions.ts';
import { checkMutableOperations } from '../mutable-operations.ts';
import { checkCommonParts, type PolicyRules } from '../policy-parts.ts';
import { reinvocationPolicies } from '../webhooks.ts';

const specPath = FieldPath.of('spec');
const patchTypes = ['ApplyConfiguration', 'JSONPatch'];

function expressionsOf({
  matchConditions = [],
  variables = [],
  mutations = [],
}: MutatingAdmissionPolicySpec): ReadonlySet<string> {
  const changes = mutations.flatMap(({ applyConfiguration, jsonPatch }) => [applyConfiguration, jsonPatch]);
  const found = [...matchConditions, ...variables, ...changes].map((part) => part?.expression);
  return new Set(found.filter((expression) => expression !== undefined));
}

/** Adds what is wrong with a new or changed policy to `errors`, in the steps of each expression. */
export function* validateMutatingPolicy(
  { metadata, spec }: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy | undefined,
  errors: FieldErrors,
): Generator<void, FieldErrors> {
  const stored = old === undefined ? undefined : expressionsOf(old.spec);
  const rules = yield* checkCommonParts({ metadata, spec }, specPath, stored, errors, checkMutableOperations);
  yield* checkMutations(spec.mutations ?? [], specPath.child('mutations'), errors, {
    ...rules,
    use: { ...rules.use, mutations: true },
  });
  const { reinvocationPolicy = '' } = spec;
  if (reinvocationPolicy === '') errors.push(required(specPath.child('reinvocationPolicy')));
  else checkEnum(reinvocationPolicy, reinvocationPolicies, specPath.child('reinvocationPolicy'), errors);
  return errors;
}

function* checkMutations(
  mutations: readonly Mutation[],
  path: FieldPath,
  errors: FieldErrors,
  rules: PolicyRules,
): Generator<void, void> {
  if (mutations.length === 0) errors.push(required(path, 'mutations must contain at least one item'));
  for (const [i, mutation] of mutations.entries()) yield* checkMutation(mutation, path.index(i), errors, rules);
}

function* checkMutation(
  mutation: Mutation,
  path: FieldPath,
  errors: FieldErrors,
  rules: PolicyRules,
): Generator<void, void> {
  switch (mutation.patchType ?? '') {
    case '':
      errors.push(required(path.child('patchType')));
      return;
    case 'ApplyConfiguration':
      yield* checkUnion(mutation, ['applyConfiguration', 'jsonPatch'], appliedObjectType, path, errors, rules);
      return;
    case 'JSONPatch':
      yield* checkUnion(mutation, ['jsonPatch', 'applyConfiguration'], jsonPatchType, path, errors, rules);
      return;
    default:
      checkEnum(mutation.patchType!, patchTypes, path.child('patchType'), errors);
  }
}

type Member = 'applyConfiguration' | 'jsonPatch';

/** The first member has to be there, the other one may not. */
function* checkUnion(
  mutation: Mutation,
  [member, other]: readonly [Member, Member],
  type: CelType,
  path: FieldPath,
  errors: FieldErrors,
  rules: PolicyRules,
): Generator<void, void> {
  const change = mutation[member];
  const when = `when patchType is ${mutation.patchType!}`;
  if (change === undefined) errors.push(required(path.child(member), `must be specified ${when}`));
  else {
    const expression = (change.expression ?? '').trim();
    const at = path.child(member, 'expression');
    if (expression === '') errors.push(required(at));
    else yield* checkExpression(expression, at, errors, rules, type);
  }
  if (mutation[other] !== undefined)
    errors.push(invalid(path.child(other), `{${other}}`, `must not be specified ${when}`));
}
