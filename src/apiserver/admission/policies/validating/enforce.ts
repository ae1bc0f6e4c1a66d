/** What a binding makes of the decisions of its policy: it refuses, warns, or notes them in the audit log. */
import type { ValidatingAdmissionPolicyBinding } from '../../../../api/gen/types/admissionregistration-v1.ts';
import type { AdmissionAttributes } from '../../../../registry/admission.ts';
import type { ObservePolicy, PolicyObservation } from '../observations.ts';
import { outOfBudget } from '../expression-group.ts';
import type { AuditAnnotations } from './audit-annotations.ts';
import type { Decision, PolicyResult } from './evaluate.ts';

export interface Refusal {
  readonly policy: string;
  /** Absent where the policy itself is at fault. */
  readonly binding: string | undefined;
  readonly message: string;
  /** Of the status; `Invalid` when empty. */
  readonly reason: string;
}

export interface Enforcement {
  readonly policy: string;
  readonly binding: ValidatingAdmissionPolicyBinding;
  readonly result: PolicyResult;
  readonly attributes: AdmissionAttributes;
  readonly annotations: AuditAnnotations;
  readonly observe: ObservePolicy;
}

type Check = Extract<PolicyObservation, { readonly what: 'check' }>;

const failureKey = 'validation.policy.admission.k8s.io/validation_failure';

export function enforce(enforcement: Enforcement): Refusal[] {
  const { policy, binding, result, annotations, observe } = enforcement;
  const name = binding.metadata.name!;
  const refusals = result.decisions.flatMap((decision, index) => enforceDecision(enforcement, decision, index));
  for (const annotation of result.annotations) {
    if ('value' in annotation) annotations.add(annotation.key, annotation.value);
    else {
      const { error, seconds } = annotation;
      // The binding's actions are about validations.
      observe({ what: 'check', policy, binding: name, action: 'deny', error: errorType(error), seconds });
      refusals.push({ policy, binding: name, message: error, reason: '' });
    }
  }
  return refusals;
}

function enforceDecision(
  { policy, binding, attributes, observe }: Enforcement,
  { action, isError, message, reason, seconds }: Decision,
  expressionIndex: number,
): Refusal[] {
  const name = binding.metadata.name!;
  const refusals: Refusal[] = [];
  const told = (done: Check['action']): void =>
    observe({ what: 'check', policy, binding: name, action: done, error: errorType(message), seconds });
  if (action === 'admit') {
    if (isError) told('allow');
    return [];
  }
  for (const wanted of binding.spec.validationActions ?? []) {
    switch (wanted) {
      case 'Deny':
        refusals.push({ policy, binding: name, message, reason });
        told('deny');
        break;
      case 'Warn':
        attributes.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${message}`,
        );
        told('warn');
        break;
      case 'Audit': {
        const { validationActions } = binding.spec;
        // The first failure of a request: an annotation is not written again.
        attributes.annotate(
          failureKey,
          JSON.stringify([{ message, policy, binding: name, expressionIndex, validationActions }]),
        );
        told('audit');
        break;
      }
    }
  }
  return refusals;
}

function errorType(message: string): Check['error'] {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith(outOfBudget.slice(0, outOfBudget.indexOf(','))) ? 'out_of_budget' : 'invalid_error';
}
