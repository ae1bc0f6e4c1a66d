/**
 * Refuses writes by policies in CEL.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ | Validating
 *   Admission Policy}
 */
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../../api/gen/types/admissionregistration-v1.ts';
import type { Authorizer } from '../../../../auth/authorization/authorizer.ts';
import { StatusError } from '../../../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../../registry/admission.ts';
import type { CachedObjects } from '../../../loopback/cached-objects.ts';
import { refused } from '../../attributes.ts';
import { type Candidate, MatchIndex } from '../../matching/match-index.ts';
import type { BoundPolicy } from '../bound-policies.ts';
import { type MatchedPolicy, PolicyMatcher } from '../matched.ts';
import type { ObservePolicy } from '../observations.ts';
import type { ParamReader } from '../params.ts';
import { RequestInput } from '../request-input.ts';
import type { PolicySources } from '../sources.ts';
import { AuditAnnotations } from './audit-annotations.ts';
import { type CompiledValidatingPolicy, compileValidatingPolicy } from './compile.ts';
import { enforce, type Refusal } from './enforce.ts';
import { evaluatePolicy } from './evaluate.ts';

export interface PolicyPluginOptions {
  readonly sources: PolicySources;
  readonly params: ParamReader;
  readonly objects: Pick<CachedObjects, 'find' | 'findFresh'>;
  readonly authorizer: Authorizer;
  readonly observe: ObservePolicy;
}

type Types = [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, CompiledValidatingPolicy];
type Bound = BoundPolicy<Types[0], Types[1], Types[2]>;
type Matched = MatchedPolicy<Types[0], Types[1], Types[2]>;
type Matcher = PolicyMatcher<Types[0], Types[1], Types[2]>;

export function createValidatingPolicies(options: PolicyPluginOptions): AdmissionPlugin {
  const { sources, objects, authorizer } = options;
  const source = sources.create<Types[0], Types[1], Types[2]>(
    { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' },
    (policy) => compileValidatingPolicy(policy, authorizer),
  );
  const matcher: Matcher = new PolicyMatcher(options.params, objects);
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: () => true,
    validate(attributes) {
      const index = source.current(attributes);
      return index instanceof MatchIndex
        ? judge(index.candidates(attributes), attributes, matcher, options)
        : index.then((known) => judge(known.candidates(attributes), attributes, matcher, options));
    },
  };
}

function judge(
  candidates: readonly Candidate<Bound>[],
  attributes: AdmissionAttributes,
  matcher: Matcher,
  options: PolicyPluginOptions,
): Promise<void> | undefined {
  return candidates.length === 0 ? undefined : judgeBy(candidates, attributes, matcher, options);
}

async function judgeBy(
  candidates: readonly Candidate<Bound>[],
  attributes: AdmissionAttributes,
  matcher: Matcher,
  options: PolicyPluginOptions,
): Promise<void> {
  const input = new RequestInput(attributes, options);
  const refusals: Refusal[] = [];
  for await (const matched of matcher.matched(candidates, attributes))
    refusals.push(...(await refusalsOf(matched, input, options)));
  if (refusals.length > 0) throw refusedBy(attributes, refusals[0]!);
}

async function refusalsOf(matched: Matched, input: RequestInput, { observe }: PolicyPluginOptions): Promise<Refusal[]> {
  const { policy, form, problems } = matched;
  const name = policy.metadata.name!;
  const { failurePolicy } = policy.spec;
  const refusals: Refusal[] =
    failurePolicy === 'Ignore'
      ? []
      : problems.map(({ binding, message }) => ({
          policy: name,
          binding: binding?.metadata.name,
          message,
          reason: '',
        }));
  if (matched.bindings.length === 0) return refusals;
  const compiled = await matched.compiled();
  const annotations = new AuditAnnotations(name);
  for (const { binding, params } of matched.bindings) {
    for (const { value } of params) {
      await input.next();
      const result = await evaluatePolicy({ policy: name, compiled, failurePolicy, form, params: value, input });
      refusals.push(...enforce({ policy: name, binding, result, attributes: input.attributes, annotations, observe }));
    }
  }
  annotations.publish(input.attributes);
  return refusals;
}

const codes: ReadonlyMap<string, number> = new Map([
  ['Forbidden', 403],
  ['Unauthorized', 401],
  ['RequestEntityTooLarge', 413],
]);

function refusedBy(attributes: AdmissionAttributes, { policy, binding, message, reason }: Refusal): StatusError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { message: shown, details } = refused(attributes, text);
  return new StatusError(codes.get(reason) ?? 422, reason === '' ? 'Invalid' : reason, shown, {
    ...details,
    causes: [{ message: text }],
  });
}
