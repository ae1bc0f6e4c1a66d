/** Rules by what they are about, so that a right is looked up and not compared with each of them. */
import type { PolicyRule } from '../gen/types/rbac-v1.ts';
import { coversUrl } from './urls.ts';

const any = '*';

/** Counts what is looked at: what rules grant is a product, and clients write both sides. */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  get areUp(): boolean {
    return this.#left <= 0;
  }

  take(count = 1): void {
    this.#left -= count;
  }
}

interface Rule {
  readonly verbs: readonly string[];
  readonly groups: ReadonlySet<string>;
  readonly names: readonly string[];
}

interface NamedRule {
  readonly verbs: ReadonlySet<string>;
}

/** What rules grant on one resource of one group. */
export class Held {
  /** Verbs on all objects. */
  readonly #verbs = new Set<string>();
  readonly #byName = new Map<string, NamedRule[]>();

  add({ verbs, names }: Rule): void {
    if (names.length === 0) for (const verb of verbs) this.#verbs.add(verb);
    const named = { verbs: new Set(verbs) };
    for (const name of names) {
      const rules = this.#byName.get(name);
      if (rules === undefined) this.#byName.set(name, [named]);
      else rules.push(named);
    }
  }

  get isEverything(): boolean {
    return this.#verbs.has(any);
  }

  onAll(verb: string): boolean {
    return this.#verbs.has(any) || this.#verbs.has(verb);
  }

  onNamed(verb: string, name: string, steps: Steps): boolean {
    const rules = this.#byName.get(name);
    if (rules === undefined) return false;
    steps.take(rules.length);
    return rules.some(({ verbs }) => verbs.has(any) || verbs.has(verb));
  }
}

/** Stands for every group, resource or subresource that no rule names. */
const unknown = Symbol('unknown');
type Named = string | typeof unknown;

export class RuleIndex {
  readonly #groups = new Set<string>();
  readonly #byResource = new Map<string, Rule[]>();
  readonly #onPaths: { readonly urls: readonly string[]; readonly verbs: ReadonlySet<string> }[] = [];
  /** What was asked for: all that no rule names is asked for once. */
  readonly #held = new Map<Named, Map<Named, Map<Named, Held>>>();
  readonly #steps: Steps;

  constructor(rules: readonly PolicyRule[], steps: Steps) {
    this.#steps = steps;
    for (const rule of rules) this.#add(rule);
  }

  /** @param resource with its subresource, `pods/log` */
  on(group: string, resource: string): Held {
    const slash = resource.indexOf('/');
    const others = slash < 0 ? any : any + resource.slice(slash);
    const byResource = memberOf(this.#held, this.#groups.has(group) ? group : unknown);
    const byOthers = memberOf(byResource, this.#byResource.has(resource) ? resource : unknown);
    const key = this.#byResource.has(others) ? others : unknown;
    let held = byOthers.get(key);
    if (held === undefined) byOthers.set(key, (held = this.#collect(group, new Set([any, resource, others]))));
    return held;
  }

  onPath(verb: string, url: string): boolean {
    return this.#onPaths.some(({ urls, verbs }) => {
      this.#steps.take(urls.length + 1);
      return (verbs.has(any) || verbs.has(verb)) && urls.some((own) => coversUrl(own, url));
    });
  }

  #add({
    verbs = [],
    apiGroups = [],
    resources = [],
    resourceNames: names = [],
    nonResourceURLs: urls = [],
  }: PolicyRule): void {
    const rule: Rule = { verbs, groups: new Set(apiGroups), names };
    for (const group of apiGroups) this.#groups.add(group);
    for (const resource of new Set(resources)) {
      const rules = this.#byResource.get(resource);
      if (rules === undefined) this.#byResource.set(resource, [rule]);
      else rules.push(rule);
    }
    if (urls.length > 0 && names.length === 0) this.#onPaths.push({ urls, verbs: new Set(verbs) });
  }

  #collect(group: string, resources: ReadonlySet<string>): Held {
    const held = new Held();
    for (const resource of resources) {
      for (const rule of this.#byResource.get(resource) ?? []) {
        this.#steps.take();
        if (!rule.groups.has(any) && !rule.groups.has(group)) continue;
        this.#steps.take(rule.verbs.length + rule.names.length);
        if (this.#steps.areUp) return held;
        held.add(rule);
      }
    }
    return held;
  }
}

function memberOf<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let member = map.get(key);
  if (member === undefined) map.set(key, (member = new Map<L, V>()));
  return member;
}
