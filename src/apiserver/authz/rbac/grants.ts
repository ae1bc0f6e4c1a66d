/** What one subject may do, from all its bindings of one scope: found by verb, group and resource, not by asking each rule. */
import type { PolicyRule } from '../../../api/gen/types/rbac-v1.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';

/** Rules, and why the subject has them. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** For the reason of a decision. */
  readonly describe: () => string;
}

/** Who may do it with all objects, and who with those of a name. */
interface OnResource {
  all?: Grant;
  named?: Map<string, Grant>;
}

interface OnPaths {
  readonly exact: Map<string, Grant>;
  /** Beginnings of paths, from URLs with a star at the end. */
  readonly prefixes: { readonly prefix: string; readonly grant: Grant }[];
}

const any = '*';

export class Grants {
  /** By verb, then group, then resource with its subresource. */
  readonly #resources = new Map<string, Map<string, Map<string, OnResource>>>();
  readonly #paths = new Map<string, OnPaths>();

  constructor(grants: Iterable<Grant>) {
    for (const grant of grants) for (const rule of grant.rules) this.#add(rule, grant);
  }

  /** @param resource with its subresource, `pods/log` */
  find(attributes: AuthorizationAttributes, resource: string): Grant | undefined {
    const { verb, isResourceRequest } = attributes;
    return isResourceRequest ? (this.#onResource(verb, attributes, resource) ?? this.#onResource(any, attributes, resource)) : (this.#onPath(verb, attributes.path) ?? this.#onPath(any, attributes.path));
  }

  #onResource(verb: string, { group, subresource, name }: AuthorizationAttributes, resource: string): Grant | undefined {
    const groups = this.#resources.get(verb);
    if (groups === undefined) return undefined;
    return inGroup(groups.get(group), resource, subresource, name) ?? inGroup(groups.get(any), resource, subresource, name);
  }

  #onPath(verb: string, path: string): Grant | undefined {
    const paths = this.#paths.get(verb);
    return paths?.exact.get(path) ?? paths?.prefixes.find(({ prefix }) => path.startsWith(prefix))?.grant;
  }

  #add({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule, grant: Grant): void {
    for (const verb of verbs) {
      for (const group of apiGroups) for (const resource of resources) this.#addResource(verb, group, resource, resourceNames, grant);
      for (const url of nonResourceURLs) this.#addPath(verb, url, grant);
    }
  }

  #addResource(verb: string, group: string, resource: string, names: readonly string[], grant: Grant): void {
    const found = memberOf(memberOf(memberOf(this.#resources, verb, () => new Map()), group, () => new Map()), resource, (): OnResource => ({}));
    if (names.length === 0) found.all ??= grant;
    else for (const name of names) memberOf((found.named ??= new Map()), name, () => grant);
  }

  #addPath(verb: string, url: string, grant: Grant): void {
    const { exact, prefixes } = memberOf(this.#paths, verb, (): OnPaths => ({ exact: new Map(), prefixes: [] }));
    memberOf(exact, url, () => grant);
    if (url.endsWith('*')) prefixes.push({ prefix: url.replace(/\*+$/, ''), grant });
  }
}

function inGroup(resources: Map<string, OnResource> | undefined, resource: string, subresource: string, name: string): Grant | undefined {
  if (resources === undefined) return undefined;
  return granted(resources.get(resource), name) ?? granted(resources.get(any), name) ?? (subresource === '' ? undefined : granted(resources.get(`*/${subresource}`), name));
}

const granted = (on: OnResource | undefined, name: string): Grant | undefined => on?.all ?? on?.named?.get(name);

function memberOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
