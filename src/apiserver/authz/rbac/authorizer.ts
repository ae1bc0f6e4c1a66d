/**
 * `--authorization-mode=RBAC`: everything is forbidden but what a role says that is bound to the user.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/ | Using RBAC Authorization}
 */
import type { PolicyRule } from '../../../api/gen/types/rbac-v1.ts';
import {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type AuthorizationRules,
  type Authorizer,
  joinErrors,
  noOpinion,
} from '../../../auth/authorization/authorizer.ts';
import type { RbacPolicy } from './policy.ts';

/** @param loaded the policy; a promise of it until it is known */
export function createRbacAuthorizer(loaded: () => RbacPolicy | Promise<RbacPolicy>): Authorizer {
  return {
    authorize(attributes) {
      const policy = loaded();
      return policy instanceof Promise
        ? policy.then((known) => decide(known, attributes), notLoaded)
        : decide(policy, attributes);
    },
    rulesFor: async (user, namespace) => listRules((await loaded()).rulesOf(user, namespace)),
  };
}

export function decide(policy: RbacPolicy, attributes: AuthorizationAttributes): AuthorizationDecision {
  const { user, namespace, resource, subresource, isResourceRequest } = attributes;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  let missing: string[] | undefined;
  for (const subject of policy.subjects(user, isResourceRequest ? namespace : '')) {
    const found = policy.grantsOf(subject).find(attributes, combined);
    if (found !== undefined) return { decision: 'allow', reason: `RBAC: allowed by ${found.describe()}` };
    if (subject.missing!.length > 0) (missing ??= []).push(...subject.missing!);
  }
  return missing === undefined ? noOpinion : { decision: 'noOpinion', reason: `RBAC: ${joinErrors(missing)}` };
}

const notLoaded = (): AuthorizationDecision => ({
  decision: 'noOpinion',
  reason: '',
  error: 'RBAC: the roles could not be read from the store yet',
});

function listRules({
  rules,
  missing,
}: {
  readonly rules: readonly PolicyRule[];
  readonly missing: readonly string[];
}): AuthorizationRules {
  return {
    resourceRules: rules
      .filter(({ resources = [] }) => resources.length > 0)
      .map(({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length === 0 ? {} : { resourceNames }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs = [], nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete: missing.length > 0,
    ...(missing.length === 0 ? {} : { error: joinErrors(missing) }),
  };
}
