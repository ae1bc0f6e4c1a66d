/** Whether rules grant everything that other rules grant, and how rules are told. */
import type { PolicyRule } from '../gen/types/rbac-v1.ts';
import { goQuote } from '../../machinery/go-quote.ts';

/** What `wanted` grants and `owned` does not, broken down to single verbs on single resources; empty when all is covered. */
export const missingRules = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] =>
  wanted.flatMap(breakDown).filter((part) => !owned.some((rule) => covers(rule, part)));

function breakDown({ apiGroups = [], resources = [], verbs = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): PolicyRule[] {
  const onResources = apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.flatMap((verb) => {
    const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
    return resourceNames.length === 0 ? [part] : resourceNames.map((name) => ({ ...part, resourceNames: [name] }));
  })));
  return [...onResources, ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })))];
}

/** @param part names at most one of each */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  return hasAll(rule.verbs, part.verbs) && hasAll(rule.apiGroups, part.apiGroups)
    && (part.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource))
    && (part.nonResourceURLs ?? []).every((url) => (rule.nonResourceURLs ?? []).some((own) => coversUrl(own, url)))
    && coversNames(rule.resourceNames ?? [], part.resourceNames ?? []);
}

const hasAll = (own: readonly string[] = [], wanted: readonly string[] = []): boolean => own.includes('*') || wanted.every((item) => own.includes(item));

function coversResource(own: readonly string[], resource: string): boolean {
  const slash = resource.indexOf('/');
  return own.includes('*') || own.includes(resource) || (slash >= 0 && own.includes(`*${resource.slice(slash)}`));
}

/** Without names a rule is about all objects. */
const coversNames = (own: readonly string[], wanted: readonly string[]): boolean => own.length === 0 || (wanted.length > 0 && wanted.every((name) => own.includes(name)));

/** `*` at the end stands for anything that follows. */
export const coversUrl = (own: string, url: string): boolean => own === '*' || own === url || (own.endsWith('*') && url.startsWith(own.replace(/\*+$/, '')));

/** A line per rule, sorted; verbs on the same resource are taken together. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  const compact = new Map<string, PolicyRule>();
  for (const [index, rule] of rules.entries()) {
    const key = simpleKey(rule) ?? `#${index}`;
    const known = compact.get(key);
    compact.set(key, known === undefined ? rule : { ...known, verbs: [...new Set([...(known.verbs ?? []), ...(rule.verbs ?? [])])] });
  }
  return [...new Set([...compact.values()].map(describe))].sort();
}

/** What a rule is about if that is one thing: such rules differ in their verbs only. */
function simpleKey({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): string | undefined {
  if (apiGroups.length !== 1 || resources.length !== 1 || resourceNames.length > 1 || nonResourceURLs.length > 0) return undefined;
  return JSON.stringify([apiGroups, resources, resourceNames]);
}

function describe({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = { APIGroups: apiGroups, Resources: resources, NonResourceURLs: nonResourceURLs, ResourceNames: resourceNames, Verbs: verbs };
  return `{${Object.entries(parts).filter(([, values]) => (values?.length ?? 0) > 0).map(([name, values]) => `${name}:${quoteAll(values!)}`).join(', ')}}`;
}

/** `["a" "b"]` */
export const quoteAll = (values: readonly string[]): string => `[${values.map(goQuote).join(' ')}]`;
