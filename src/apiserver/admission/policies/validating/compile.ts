import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  Validation,
} from '../../../../api/gen/types/admissionregistration-v1.ts';
import type { Authorizer } from '../../../../auth/authorization/authorizer.ts';
import { admissionEnvironment, boolType, type CelType, nullType, stringType } from '../../../../cel/index.ts';
import { createMatchConditions, type MatchConditions } from '../../matching/match-conditions.ts';
import { compileExpression, type CompiledVariables, compileVariables, type Expression } from '../expression-group.ts';

export interface CompiledValidation {
  readonly validation: Validation;
  readonly expression: Expression;
  readonly message: Expression | undefined;
}

export interface CompiledAnnotation {
  readonly annotation: AuditAnnotation;
  readonly expression: Expression;
}

export interface CompiledValidatingPolicy {
  /** Absent where the policy has none. */
  readonly conditions: MatchConditions | undefined;
  readonly variables: CompiledVariables;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledAnnotation[];
}

/** Does not fail: an expression that is none fails when it is evaluated. */
export async function compileValidatingPolicy(
  { spec }: ValidatingAdmissionPolicy,
  authorizer: Authorizer,
): Promise<CompiledValidatingPolicy> {
  const params = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const environment = admissionEnvironment({ params, authorizer: true, variables: types });
  // A message is shown to users without the right to query the rights of others.
  const forMessages = admissionEnvironment({ params, variables: types });
  const variables = await compileVariables(environment, spec.variables, types);
  const validations: CompiledValidation[] = [];
  for (const validation of spec.validations ?? []) {
    const { expression = '', messageExpression = '' } = validation;
    validations.push({
      validation,
      expression: await compileExpression(environment, expression, boolType),
      message:
        messageExpression === '' ? undefined : await compileExpression(forMessages, messageExpression, stringType),
    });
  }
  const annotations: CompiledAnnotation[] = [];
  for (const annotation of spec.auditAnnotations ?? [])
    annotations.push({
      annotation,
      expression: await compileExpression(environment, annotation.valueExpression ?? '', stringType, nullType),
    });
  const conditions = createMatchConditions(spec.matchConditions, { authorizer, params });
  return { conditions, variables, validations, annotations };
}
