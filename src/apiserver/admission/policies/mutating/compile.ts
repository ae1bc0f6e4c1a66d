import type { MutatingAdmissionPolicy } from '../../../../api/gen/types/admissionregistration-v1alpha1.ts';
import type { Authorizer } from '../../../../auth/authorization/authorizer.ts';
import { admissionEnvironment, appliedObjectType, type CelType, jsonPatchType } from '../../../../cel/index.ts';
import { createMatchConditions, type MatchConditions } from '../../matching/match-conditions.ts';
import { compileExpression, type CompiledVariables, compileVariables, type Expression } from '../expression-group.ts';

export interface CompiledMutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: Expression;
}

export interface CompiledMutatingPolicy {
  /** Absent where the policy has none. */
  readonly conditions: MatchConditions | undefined;
  readonly variables: CompiledVariables;
  readonly mutations: readonly CompiledMutation[];
  /** Asked again when others have changed the object after it. */
  readonly reinvokes: boolean;
}

/** Does not fail: an expression that is none fails when it is evaluated. */
export async function compileMutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  authorizer: Authorizer,
): Promise<CompiledMutatingPolicy> {
  const params = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const use = { params, authorizer: true, variables: types };
  const variables = await compileVariables(admissionEnvironment(use), spec.variables, types);
  const environment = admissionEnvironment({ ...use, mutations: true });
  const mutations: CompiledMutation[] = [];
  for (const { patchType, applyConfiguration, jsonPatch } of spec.mutations ?? []) {
    const isPatch = patchType === 'JSONPatch';
    const change = isPatch ? jsonPatch : applyConfiguration;
    mutations.push({
      patchType: isPatch ? 'JSONPatch' : 'ApplyConfiguration',
      expression: await compileExpression(
        environment,
        change?.expression ?? '',
        isPatch ? jsonPatchType : appliedObjectType,
      ),
    });
  }
  const conditions = createMatchConditions(spec.matchConditions, { authorizer, params });
  return { conditions, variables, mutations, reinvokes: spec.reinvocationPolicy === 'IfNeeded' };
}
