/** Which entry of an EncryptionConfiguration speaks of a resource. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `secrets`, `deployments.apps`, `*.apps`, `*.`, `*.*`: the group is the text after the first dot. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0 ? { resource: text, group: '' } : { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

/** As documents and metrics write it. */
export const formatGroupResource = ({ group, resource }: GroupResource): string =>
  group === '' ? (resource === '*' ? '*.' : resource) : `${resource}.${group}`;

/** What was said of resources, by `resource.group`, the most special first: the resource, its group, everything. */
export class ResourceRules<T> {
  readonly #rules = new Map<string, T[]>();

  /** Adds to what was said before. Throws when something said before leaves nothing for this. */
  add(text: string, items: readonly T[]): void {
    const rule = parseGroupResource(text);
    for (const earlier of [{ group: rule.group, resource: '*' }, everything]) {
      if (this.#rules.has(formatGroupResource(earlier)))
        throw new Error(
          `resource ${JSON.stringify(formatGroupResource(rule))} is masked by earlier ` +
            `rule ${JSON.stringify(formatGroupResource(earlier))}`,
        );
    }
    const key = formatGroupResource(rule);
    this.#rules.set(key, [...(this.#rules.get(key) ?? []), ...items]);
  }

  /** The rule that speaks of a resource, as `map` names it; undefined when none does. */
  keyOf({ group, resource }: GroupResource): string | undefined {
    return [{ group, resource }, { group, resource: '*' }, everything]
      .map(formatGroupResource)
      .find((key) => this.#rules.has(key));
  }

  map<U>(make: (items: readonly T[]) => U): Map<string, U> {
    return new Map([...this.#rules].map(([key, items]) => [key, make(items)]));
  }
}

const everything: GroupResource = { group: '*', resource: '*' };
