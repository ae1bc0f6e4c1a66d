/** Which policies, bindings and parameters a request meets. */
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';
import { type Candidate, formFor } from '../matching/match-index.ts';
import { namespaceOf } from '../matching/rules.ts';
import type { Binding, BoundBinding, BoundPolicy, Policy } from './bound-policies.ts';
import { ConfigurationProblem, type Param, type ParamReader } from './params.ts';
import { isStatusError } from '../../../machinery/status.ts';

export interface MatchedPolicy<P extends Policy, B extends Binding, C> {
  readonly policy: P;
  readonly form: ResourceForm;
  readonly bindings: readonly MatchedBinding<B>[];
  compiled(): Promise<C>;
  /** What keeps the policy, or a binding, from being asked: the failure policy says what that means. */
  readonly problems: readonly Problem<B>[];
}

export interface MatchedBinding<B extends Binding> {
  readonly binding: B;
  readonly params: readonly Param[];
}

export interface Problem<B extends Binding> {
  /** Absent for one of the policy itself. */
  readonly binding: B | undefined;
  readonly message: string;
}

/** In the order of the candidates. */
export async function* matchedPolicies<P extends Policy, B extends Binding, C>(
  candidates: readonly Candidate<BoundPolicy<P, B, C>>[],
  attributes: AdmissionAttributes,
  params: ParamReader,
): AsyncGenerator<MatchedPolicy<P, B, C>> {
  for (const { entry, form } of candidates) {
    const matched = await matchPolicy(entry, form, attributes, params);
    if (matched !== undefined) yield matched;
  }
}

async function matchPolicy<P extends Policy, B extends Binding, C>(
  entry: BoundPolicy<P, B, C>,
  form: ResourceForm,
  attributes: AdmissionAttributes,
  params: ParamReader,
): Promise<MatchedPolicy<P, B, C> | undefined> {
  const { policy } = entry;
  const compiled = (): Promise<C> => entry.compiled();
  const found: MatchedBinding<B>[] = [];
  const problems: Problem<B>[] = [];
  try {
    if (!(await entry.selects(attributes))) return undefined;
    const kind = await params.kindOf(policy.spec.paramKind);
    for (const bound of entry.bindings) {
      try {
        if (!(await matchesBinding(bound, attributes))) continue;
        const { binding } = bound;
        found.push({ binding, params: await params.collect(kind, binding.spec.paramRef, namespaceOf(attributes)) });
      } catch (error) {
        problems.push({ binding: bound.binding, message: `failed to configure binding: ${problemText(error)}` });
      }
    }
  } catch (error) {
    problems.push({ binding: undefined, message: `failed to configure policy: ${problemText(error)}` });
  }
  return { policy, form, bindings: found, compiled, problems };
}

const matchesBinding = async <B extends Binding>(
  bound: BoundBinding<B>,
  attributes: AdmissionAttributes,
): Promise<boolean> => formFor(bound, attributes) !== undefined && (await bound.selects(attributes));

/** Throws what is no problem of the configuration. */
function problemText(error: unknown): string {
  if (error instanceof ConfigurationProblem || isStatusError(error)) return error.message;
  throw error;
}
