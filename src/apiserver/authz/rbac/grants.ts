/**
 * What one subject may do, from all its bindings of one scope: found by verb, group and resource, not by asking each
 * rule.
 */
import type { PolicyRule } from '../../../api/gen/types/rbac-v1.ts';
import { prefixOf } from '../../../api/rbac/urls.ts';
import type { AuthorizationAttributes } from '../../../auth/authorization/authorizer.ts';

/** Rules, and why the subject has them. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** For the reason of a decision. */
  readonly describe: () => string;
}

/** Subjects with the right on all objects, and subjects with the right on objects of one name. */
interface OnResource {
  all?: Grant;
  named?: Map<string, Grant>;
}

interface OnPaths {
  readonly exact: Map<string, Grant>;
  /** Beginnings of paths, from URLs with a star at the end. */
  readonly prefixes: { readonly prefix: string; readonly grant: Grant }[];
}

/** A rule as it is: what it grants is too much to be written out. */
interface WideRule {
  readonly grant: Grant;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly exact: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

const any = '*';

/** Entries of the index for each item of a rule. What a rule grants is the product of its lists. */
const maxEntriesPerItem = 32;

export class Grants {
  /** By verb, then group, then resource with its subresource. */
  readonly #resources = new Map<string, Map<string, Map<string, OnResource>>>();
  readonly #paths = new Map<string, OnPaths>();
  /** By verb. */
  readonly #wide = new Map<string, WideRule[]>();

  constructor(grants: Iterable<Grant>) {
    for (const grant of grants) for (const rule of grant.rules) this.#add(rule, grant);
  }

  /** @param resource with its subresource, `pods/log` */
  find(attributes: AuthorizationAttributes, resource: string): Grant | undefined {
    const { verb } = attributes;
    return this.#find(verb, attributes, resource) ?? this.#find(any, attributes, resource);
  }

  #find(verb: string, attributes: AuthorizationAttributes, resource: string): Grant | undefined {
    const found = attributes.isResourceRequest
      ? this.#onResource(verb, attributes, resource)
      : this.#onPath(verb, attributes.path);
    return (
      found ??
      this.#wide
        .get(verb)
        ?.find((rule) =>
          attributes.isResourceRequest ? coversResource(rule, attributes, resource) : coversPath(rule, attributes.path),
        )?.grant
    );
  }

  #onResource(
    verb: string,
    { group, subresource, name }: AuthorizationAttributes,
    resource: string,
  ): Grant | undefined {
    const groups = this.#resources.get(verb);
    if (groups === undefined) return undefined;
    return (
      inGroup(groups.get(group), resource, subresource, name) ?? inGroup(groups.get(any), resource, subresource, name)
    );
  }

  #onPath(verb: string, path: string): Grant | undefined {
    const paths = this.#paths.get(verb);
    return paths?.exact.get(path) ?? paths?.prefixes.find(({ prefix }) => path.startsWith(prefix))?.grant;
  }

  #add(rule: PolicyRule, grant: Grant): void {
    const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
    if (isWide(rule)) return this.#addWide(rule, grant);
    for (const verb of verbs) {
      for (const group of apiGroups)
        for (const resource of resources) this.#addResource(verb, group, resource, resourceNames, grant);
      for (const url of nonResourceURLs) this.#addPath(verb, url, grant);
    }
  }

  #addWide({ verbs = [], apiGroups, resources, resourceNames, nonResourceURLs = [] }: PolicyRule, grant: Grant): void {
    const prefixes = nonResourceURLs.filter((url) => url.endsWith('*')).map(prefixOf);
    const rule = {
      grant,
      groups: new Set(apiGroups),
      resources: new Set(resources),
      names: new Set(resourceNames),
      exact: new Set(nonResourceURLs),
      prefixes,
    };
    for (const verb of new Set(verbs)) memberOf(this.#wide, verb, (): WideRule[] => []).push(rule);
  }

  #addResource(verb: string, group: string, resource: string, names: readonly string[], grant: Grant): void {
    const found = memberOf(
      memberOf(
        memberOf(this.#resources, verb, () => new Map()),
        group,
        () => new Map(),
      ),
      resource,
      (): OnResource => ({}),
    );
    if (names.length === 0) found.all ??= grant;
    else for (const name of names) memberOf((found.named ??= new Map()), name, () => grant);
  }

  #addPath(verb: string, url: string, grant: Grant): void {
    const { exact, prefixes } = memberOf(this.#paths, verb, (): OnPaths => ({ exact: new Map(), prefixes: [] }));
    memberOf(exact, url, () => grant);
    if (url.endsWith('*')) prefixes.push({ prefix: prefixOf(url), grant });
  }
}

function isWide({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): boolean {
  const items = verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length;
  const entries =
    verbs.length * (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length);
  return entries > maxEntriesPerItem * items;
}

const coversResource = (
  { groups, resources, names }: WideRule,
  { group, subresource, name }: AuthorizationAttributes,
  resource: string,
): boolean =>
  (groups.has(any) || groups.has(group)) &&
  (resources.has(any) || resources.has(resource) || (subresource !== '' && resources.has(`*/${subresource}`))) &&
  (names.size === 0 || names.has(name));

const coversPath = ({ exact, prefixes }: WideRule, path: string): boolean =>
  exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix));

function inGroup(
  resources: Map<string, OnResource> | undefined,
  resource: string,
  subresource: string,
  name: string,
): Grant | undefined {
  if (resources === undefined) return undefined;
  return (
    granted(resources.get(resource), name) ??
    granted(resources.get(any), name) ??
    (subresource === '' ? undefined : granted(resources.get(`*/${subresource}`), name))
  );
}

const granted = (on: OnResource | undefined, name: string): Grant | undefined => on?.all ?? on?.named?.get(name);

function memberOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
