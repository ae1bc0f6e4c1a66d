/** Whether a request is one of those that a flow schema is about. Rules are looked at once, when the schema changes. */
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../api/gen/types/flowcontrol-v1.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { RequestInfo } from '../request/request-info.ts';

export type FlowMatcher = (info: RequestInfo, user: UserInfo) => boolean;

export function compileFlowRules(rules: FlowSchemaSpec['rules'] = []): FlowMatcher {
  const matchers = rules.map(compileRule);
  return (info, user) => matchers.some((matches) => matches(info, user));
}

type UserMatcher = (user: UserInfo) => boolean;
type InfoMatcher = (info: RequestInfo) => boolean;

function compileRule({
  subjects = [],
  resourceRules = [],
  nonResourceRules = [],
}: PolicyRulesWithSubjects): FlowMatcher {
  const users = subjects.map(compileSubject);
  const resources = resourceRules.map(compileResourceRule);
  const others = nonResourceRules.map(compileNonResourceRule);
  return (info, user) =>
    users.some((matches) => matches(user)) &&
    (info.isResourceRequest ? resources : others).some((matches) => matches(info));
}

const accountPrefix = 'system:serviceaccount:';

function compileSubject({ kind, user, group, serviceAccount }: Subject): UserMatcher {
  if (kind === 'User' && user !== undefined) {
    const { name } = user;
    return name === '*' ? () => true : (who) => who.name === name;
  }
  if (kind === 'Group' && group !== undefined) {
    const { name = '' } = group;
    return name === '*' ? () => true : ({ groups }) => groups.includes(name);
  }
  if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
    const { namespace, name } = serviceAccount;
    const inNamespace = `${accountPrefix}${namespace}:`;
    return name === '*' ? (who) => who.name.startsWith(inNamespace) : (who) => who.name === `${inNamespace}${name}`;
  }
  return () => false;
}

/** A wildcard stands alone in its list; validation of the objects makes sure of it. */
function anyOf(list: readonly string[] = []): (text: string) => boolean {
  if (list.length === 1 && list[0] === '*') return () => true;
  if (list.length === 1) return (text) => text === list[0];
  const set = new Set(list);
  return (text) => set.has(text);
}

function compileResourceRule(rule: ResourcePolicyRule): InfoMatcher {
  const verbs = anyOf(rule.verbs);
  const groups = anyOf(rule.apiGroups);
  const resources = anyOf(rule.resources);
  const namespaces = anyOf(rule.namespaces);
  const { clusterScope = false } = rule;
  return ({ verb, group, resource, subresource, namespace }) =>
    verbs(verb) &&
    resources(subresource === '' ? resource : `${resource}/${subresource}`) &&
    groups(group) &&
    (namespace === '' ? clusterScope : namespaces(namespace));
}

/** A path stands for what is below it too, with or without the wildcard at its end. */
function compileNonResourceRule({ verbs: list, nonResourceURLs = [] }: NonResourcePolicyRule): InfoMatcher {
  const verbs = anyOf(list);
  const paths = nonResourceURLs.map((url): ((path: string) => boolean) => {
    if (url === '*') return () => true;
    const start = url.endsWith('*') ? url.slice(0, -1) : url;
    const below = start.endsWith('/') ? start : `${start}/`;
    return (path) => path === url || path.startsWith(below);
  });
  return ({ verb, path }) => verbs(verb) && paths.some((matches) => matches(path));
}
