/**
 * Changes what is written by policies in CEL. All of them are matched with the object as it came; then they change it
 * one after the other, and each sees what the ones before it have made of it.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/ | Mutating Admission
 *   Policy}
 */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../../../api/gen/types/admissionregistration-v1alpha1.ts';
import { schemas } from '../../../../api/schemas.ts';
import type { BuiltInTypes } from '../../../../machinery/managed-fields/built-in-types.ts';
import { createBuiltInTypes } from '../../../../machinery/managed-fields/built-in-types.ts';
import { StatusError } from '../../../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionRound } from '../../../../registry/admission.ts';
import { refused } from '../../attributes.ts';
import { type Candidate, MatchIndex } from '../../matching/match-index.ts';
import { Reinvocation } from '../../reinvocation.ts';
import { type BoundPolicy, nameOf } from '../bound-policies.ts';
import { type MatchedPolicy, PolicyMatcher } from '../matched.ts';
import type { PolicyPluginOptions } from '../validating/plugin.ts';
import { RequestInput } from '../request-input.ts';
import { type CompiledMutatingPolicy, compileMutatingPolicy } from './compile.ts';
import { type Invocation, mutate } from './mutate.ts';

type Bound = BoundPolicy<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, CompiledMutatingPolicy>;
type Matched = MatchedPolicy<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, CompiledMutatingPolicy>;

type Matcher = PolicyMatcher<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, CompiledMutatingPolicy>;

export interface MutatingPoliciesOptions extends PolicyPluginOptions {
  readonly enabled: boolean;
}

const onlyRound: AdmissionRound = { isSecond: false, again: () => undefined };

export function createMutatingPolicies(options: MutatingPoliciesOptions): AdmissionPlugin {
  const { sources, objects, authorizer } = options;
  const source = sources.create<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, CompiledMutatingPolicy>(
    { policies: 'mutatingadmissionpolicies', bindings: 'mutatingadmissionpolicybindings' },
    (policy) => compileMutatingPolicy(policy, authorizer),
  );
  const matcher: Matcher = new PolicyMatcher(options.params, objects);
  const types = createBuiltInTypes(schemas);
  /** Of requests whose second round is still to come. */
  const reinvocations = new WeakMap<AdmissionAttributes, Reinvocation>();
  const change = async (
    candidates: readonly Candidate<Bound>[],
    attributes: AdmissionAttributes,
    round: AdmissionRound,
  ): Promise<void> => {
    const reinvocation = reinvocations.get(attributes) ?? new Reinvocation();
    if (round.isSecond) reinvocation.compare(attributes);
    await changeBy(candidates, attributes, round, { ...options, matcher, types, reinvocation });
    if (round.isSecond) return;
    reinvocation.keep(attributes);
    reinvocations.set(attributes, reinvocation);
  };
  return {
    name: 'MutatingAdmissionPolicy',
    // What is deleted has no object to change.
    handles: (operation) => options.enabled && operation !== 'DELETE',
    admit(attributes, round = onlyRound) {
      const begin = (index: MatchIndex<Bound>): Promise<void> | undefined => {
        const candidates = index.candidates(attributes);
        return candidates.length === 0 ? undefined : change(candidates, attributes, round);
      };
      const index = source.current(attributes);
      return index instanceof MatchIndex ? begin(index) : index.then(begin);
    },
  };
}

interface Parts extends PolicyPluginOptions {
  readonly matcher: Matcher;
  readonly types: BuiltInTypes;
  readonly reinvocation: Reinvocation;
}

/** Of a refusal; `Forbidden` where there is no reason of its own. */
interface Problem {
  readonly message: string;
  readonly reason: string;
}

async function changeBy(
  candidates: readonly Candidate<Bound>[],
  attributes: AdmissionAttributes,
  round: AdmissionRound,
  parts: Parts,
): Promise<void> {
  const matched: Matched[] = [];
  for await (const policy of parts.matcher.matched(candidates, attributes)) matched.push(policy);
  const problems = matched.flatMap(configurationProblems);
  const input = new RequestInput(attributes, parts);
  for (const policy of matched) problems.push(...(await changeByPolicy(policy, input, round, parts)));
  if (problems.length > 0) throw refusedBy(attributes, problems);
}

function configurationProblems({ policy, problems }: Matched): Problem[] {
  if (policy.spec.failurePolicy === 'Ignore') return [];
  return problems.map(({ binding, message }) => ({
    message:
      binding === undefined
        ? `policy "${nameOf(policy)}" denied request: ${message}`
        : denial(nameOf(policy), nameOf(binding), message),
    reason: 'Forbidden',
  }));
}

const denial = (policy: string, binding: string, message: string): string =>
  `policy '${policy}' with binding '${binding}' denied request: ${message}`;

async function changeByPolicy(
  { policy, form, bindings, compiled }: Matched,
  input: RequestInput,
  round: AdmissionRound,
  { types, reinvocation }: Parts,
): Promise<Problem[]> {
  if (bindings.length === 0) return [];
  const ready = await compiled();
  const problems: Problem[] = [];
  for (const { binding, params } of bindings) {
    for (const param of params) {
      await input.next();
      const key = `${nameOf(policy)}/${nameOf(binding)}/${param.key}`;
      const invocation: Invocation = {
        policy: nameOf(policy),
        compiled: ready,
        form,
        params: param.value,
        input,
        types,
      };
      const isWanted = (): boolean => !round.isSecond || reinvocation.isAgain(key);
      const { changed, errors } = await mutate(invocation, isWanted);
      if (changed === undefined) continue;
      // Its own change is a reason too to ask it again.
      if (ready.reinvokes) reinvocation.asked(key);
      if (changed) {
        reinvocation.changed();
        round.again();
      }
      if (policy.spec.failurePolicy === 'Ignore') continue;
      for (const error of errors)
        problems.push({ message: denial(nameOf(policy), nameOf(binding), error), reason: 'Invalid' });
    }
  }
  return problems;
}

/** The code stays that of a request that is forbidden, whatever the reason. */
function refusedBy(attributes: AdmissionAttributes, problems: readonly Problem[]): StatusError {
  const { code, details } = refused(attributes, '');
  const { message, reason } = problems[0]!;
  return new StatusError(code, reason, message, {
    ...details,
    causes: problems.map((problem) => ({ message: problem.message })),
  });
}
