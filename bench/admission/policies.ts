/**
 * A policy that is not for pods of the default namespace, with its binding, by their resources. `pods` is for one pod,
 * which it refuses.
 */
export function manyPolicies(which: 'resources' | 'namespaces' | 'pods', i: number): Readonly<Record<string, object>> {
  const name = `${which}-${i}`;
  const api = { apiVersion: 'admissionregistration.k8s.io/v1' };
  const resources = which === 'resources' ? ['secrets'] : ['pods'];
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources };
  return {
    validatingadmissionpolicies: {
      ...api,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [rule],
          ...(which === 'namespaces' ? { namespaceSelector: { matchLabels: { of: `team-${i}` } } } : {}),
          ...(which === 'pods' ? { objectSelector: { matchLabels: { refused: 'true' } } } : {}),
        },
        validations: [{ expression: 'object.metadata.name != "refused"' }],
      },
    },
    validatingadmissionpolicybindings: {
      ...api,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  };
}
