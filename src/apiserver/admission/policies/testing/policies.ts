/** Policies that a test binds to everything, and the plugins that ask them. */
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../../api/gen/types/admissionregistration-v1.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../../../api/gen/types/admissionregistration-v1alpha1.ts';
import { alwaysAllow } from '../../../../auth/authorization/always-allow.ts';
import type { Authorizer } from '../../../../auth/authorization/authorizer.ts';
import type { KubeObject } from '../../../../machinery/object-meta.ts';
import { objectsOf } from '../../testing/attributes.ts';
import type { PolicyObservation } from '../observations.ts';
import { type KindDirectory, ParamReader } from '../params.ts';
import { listedPolicies } from '../sources.ts';
import type { PolicyPluginOptions } from '../validating/plugin.ts';

const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] } as const;
const constraints = { resourceRules: [everything] };

const meta = (name: string) => ({ name, uid: name, generation: 1 });

export const validating = (
  spec: Partial<ValidatingAdmissionPolicy['spec']>,
  name = 'p',
): ValidatingAdmissionPolicy => ({
  metadata: meta(name),
  spec: { matchConstraints: constraints as never, failurePolicy: 'Fail', ...spec },
  status: {},
});

export const binding = (
  spec: Partial<ValidatingAdmissionPolicyBinding['spec']> = {},
  name = 'b',
): ValidatingAdmissionPolicyBinding => ({
  metadata: meta(name),
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});

export const mutating = (spec: Partial<MutatingAdmissionPolicy['spec']>, name = 'p'): MutatingAdmissionPolicy => ({
  metadata: meta(name),
  spec: { matchConstraints: constraints as never, failurePolicy: 'Fail', reinvocationPolicy: 'Never', ...spec },
});

export const mutatingBinding = (policyName = 'p', name = 'b'): MutatingAdmissionPolicyBinding => ({
  metadata: meta(name),
  spec: { policyName },
});

export interface Given {
  readonly policies: readonly KubeObject[];
  readonly bindings: readonly KubeObject[];
  readonly authorizer?: Authorizer;
  readonly kinds?: KindDirectory;
}

/** Options for a plugin whose policies are these, and what it told of them. */
export function pluginOptions({ policies, bindings, authorizer = alwaysAllow, kinds }: Given): PolicyPluginOptions & {
  readonly observed: PolicyObservation[];
} {
  const group = 'admissionregistration.k8s.io';
  const objects = objectsOf({
    '/namespaces': [{ metadata: { name: 'team', labels: { of: 'a' } } }],
    [`${group}/validatingadmissionpolicies`]: policies,
    [`${group}/validatingadmissionpolicybindings`]: bindings,
    [`${group}/mutatingadmissionpolicies`]: policies,
    [`${group}/mutatingadmissionpolicybindings`]: bindings,
  });
  const observed: PolicyObservation[] = [];
  return {
    sources: listedPolicies(objects),
    params: new ParamReader(kinds ?? { kindOf: () => undefined }),
    objects,
    authorizer,
    observe: (observation) => observed.push(observation),
    observed,
  };
}
