/**
 * The audit policy: how much of which request is recorded. Rules are tried in order, the first that matches decides;
 * what no rule matches is not recorded.
 *
 * Rules are made ready once (sets, split patterns), because every request is held against them.
 * @see {@link https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#audit-policy | Audit policy}
 */
import type { GroupResources, Policy, PolicyRule } from '../../api/gen/types/audit-v1.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { RequestInfo } from '../request/request-info.ts';

export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof levels)[number];

export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof stages)[number];

/** What is recorded of a request. The same object for all requests that a rule matches. */
export interface AuditDecision {
  readonly level: Level;
  readonly omitStages: ReadonlySet<string>;
  readonly omitManagedFields: boolean;
}

export interface AuditPolicy {
  /** @param user undefined when authentication failed */
  decide(info: RequestInfo, user: UserInfo | undefined): AuditDecision;
}

export function createAuditPolicy({ rules = [], omitStages = [], omitManagedFields = false }: Policy): AuditPolicy {
  const ready = rules.map((rule) => ({
    matches: matcherOf(rule),
    decision: {
      level: rule.level as Level,
      omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    },
  }));
  const none: AuditDecision = { level: 'None', omitStages: new Set(omitStages), omitManagedFields };
  return {
    decide(info, user) {
      for (const { matches, decision } of ready) if (matches(info, user)) return decision;
      return none;
    },
  };
}

type Matcher = (info: RequestInfo, user: UserInfo | undefined) => boolean;

/** Conditions that a rule does not name are not asked about. */
function matcherOf({ users, userGroups, verbs, namespaces, resources, nonResourceURLs }: PolicyRule): Matcher {
  const conditions: Matcher[] = [];
  if (isGiven(verbs)) {
    const names = new Set(verbs);
    conditions.push((info) => names.has(info.verb));
  }
  if (isGiven(users)) {
    const names = new Set(users);
    conditions.push((_, user) => user !== undefined && names.has(user.name));
  }
  if (isGiven(userGroups)) {
    const names = new Set(userGroups);
    conditions.push((_, user) => user !== undefined && user.groups.some((group) => names.has(group)));
  }
  if (isGiven(namespaces) || isGiven(resources)) conditions.push(resourceMatcher(namespaces, resources));
  else if (isGiven(nonResourceURLs)) conditions.push(pathMatcher(nonResourceURLs));
  return (info, user) => conditions.every((matches) => matches(info, user));
}

const isGiven = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0;

/** Requests without a namespace have the empty one. */
function resourceMatcher(
  namespaces: readonly string[] | undefined,
  resources: readonly GroupResources[] | undefined,
): Matcher {
  const names = isGiven(namespaces) ? new Set(namespaces) : undefined;
  const groups = isGiven(resources) ? resources.map(groupMatcher) : undefined;
  return (info) =>
    info.isResourceRequest &&
    (names === undefined || names.has(info.namespace)) &&
    (groups === undefined || groups.some((matches) => matches(info)));
}

type InfoMatcher = (info: RequestInfo) => boolean;

/**
 * `pods` matches only pods, `pods/log` their logs, `pods/*` pods and all their subresources, and `*` with the suffix
 * `/status` the status of every resource.
 */
function groupMatcher({ group = '', resources, resourceNames }: GroupResources): InfoMatcher {
  if (!isGiven(resources)) return (info) => info.group === group;
  const exact = new Set(resources);
  const all = exact.has('*');
  const ofAny = new Set(resources.filter((resource) => resource.startsWith('*/')).map((resource) => resource.slice(2)));
  const whole = new Set(
    resources.filter((resource) => resource.endsWith('/*')).map((resource) => resource.slice(0, -2)),
  );
  const names = isGiven(resourceNames) ? new Set(resourceNames) : undefined;
  return ({ group: asked, resource, subresource, name }) =>
    asked === group &&
    (names === undefined || names.has(name)) &&
    (all ||
      exact.has(subresource === '' ? resource : `${resource}/${subresource}`) ||
      (subresource !== '' && ofAny.has(subresource)) ||
      whole.has(resource));
}

/** A path, or the beginning of one with `*` behind it. */
function pathMatcher(urls: readonly string[]): Matcher {
  const exact = new Set(urls);
  const all = exact.has('*');
  const prefixes = urls.filter((url) => url.endsWith('*')).map((url) => url.slice(0, -1));
  return (info) =>
    !info.isResourceRequest && (all || exact.has(info.path) || prefixes.some((prefix) => info.path.startsWith(prefix)));
}
