/**
 * Whether a rule of a webhook or of a policy is for a request.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules |
 *   Matching requests: rules}
 */
import type { NamedRuleWithOperations } from '../../../api/gen/types/admissionregistration-v1.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';

/** Rules of webhooks have no names. */
export type Rule = NamedRuleWithOperations;

type Target = Pick<AdmissionAttributes, 'operation' | 'subresource' | 'namespace' | 'name' | 'resource' | 'kind'>;

const isNamespace = ({ group, resource }: ResourceForm['resource']): boolean =>
  group === '' && resource === 'namespaces';

/**
 * The namespace that rules, selectors, reviews and expressions see: a Namespace, and its subresources, lie in
 * themselves.
 */
export const namespaceOf = ({ resource, namespace, name }: Pick<Target, 'resource' | 'namespace' | 'name'>): string =>
  namespace === '' && isNamespace(resource) ? name : namespace;

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes('*') || list.includes(value));

/** `*` is all resources, but no subresources; `pods/*` is pods as well. */
function matchesResource(resources: readonly string[], resource: string, subresource: string): boolean {
  return resources.some((text) => {
    const slash = text.indexOf('/');
    const [left, right] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
    return (left === '*' || left === resource) && (right === '*' || right === subresource);
  });
}

function matchesScope(scope: string, target: Target, resource: ResourceForm['resource']): boolean {
  if (scope === '*') return true;
  const isCluster = target.namespace === '' || isNamespace(resource);
  return scope === (isCluster ? 'Cluster' : 'Namespaced');
}

/** @param resource in the version that is looked for. Names of objects are not looked at. */
export const matchesRule = (
  rule: Rule,
  target: Target,
  resource: ResourceForm['resource'] = target.resource,
): boolean =>
  has(rule.operations, target.operation) &&
  has(rule.apiGroups, resource.group) &&
  has(rule.apiVersions, resource.version) &&
  matchesResource(rule.resources ?? [], resource.resource, target.subresource) &&
  matchesScope(rule.scope ?? '*', target, resource);

const matchesName = ({ resourceNames = [] }: Rule, name: string): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name);

/**
 * The form in which the rules ask for the request: as it is, or, with the match policy Equivalent, in another version.
 * Earlier rules come first.
 */
export function matchedForm(
  rules: readonly Rule[],
  matchPolicy: string | undefined,
  target: Target,
  forms: readonly ResourceForm[],
): ResourceForm | undefined {
  const named = rules.filter((rule) => matchesName(rule, target.name));
  if (named.some((rule) => matchesRule(rule, target))) return { resource: target.resource, kind: target.kind };
  if (matchPolicy === 'Exact') return undefined;
  for (const rule of named) {
    const form = forms.find(({ resource }) => matchesRule(rule, target, resource));
    if (form !== undefined) return form;
  }
  return undefined;
}
