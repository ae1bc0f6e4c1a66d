/**
 * The resources of a server as its discovery documents have them.
 * @see {@link https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api | Discovery API}
 */

export interface DiscoveredResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
}

/** A version of a group; what is in it is unknown where `failure` says why. */
export interface DiscoveredVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
  readonly failure?: string;
}

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === '' ? version : `${group}/${version}`;

export class Discovery {
  /** Each resource once, in the version that the server prefers of those that have it. */
  readonly preferred: readonly DiscoveredResource[];
  /** Why the resources of a group and version are unknown, by `group/version`. Absence says nothing there. */
  readonly failures: ReadonlyMap<string, string>;
  readonly #byKind = new Map<string, DiscoveredResource>();
  readonly #byName = new Map<string, DiscoveredResource>();

  /** @param versions those of one group in the server's order of preference */
  constructor(versions: readonly DiscoveredVersion[]) {
    const preferred = new Map<string, DiscoveredResource>();
    const failures = new Map<string, string>();
    for (const { group, version, resources, failure } of versions) {
      if (failure !== undefined) failures.set(apiVersionOf({ group, version }), failure);
      for (const resource of resources) {
        const name = `${resource.group}/${resource.resource}`;
        if (!preferred.has(name)) preferred.set(name, resource);
        const kind = `${apiVersionOf(resource)} ${resource.kind}`;
        if (!this.#byKind.has(kind)) this.#byKind.set(kind, resource);
        this.#byName.set(`${apiVersionOf(resource)} ${resource.resource}`, resource);
      }
    }
    this.preferred = [...preferred.values()];
    this.failures = failures;
  }

  /** The resource of a plural name in one of the versions that are served. */
  named(name: Pick<DiscoveredResource, 'group' | 'version' | 'resource'>): DiscoveredResource | undefined {
    return this.#byName.get(`${apiVersionOf(name)} ${name.resource}`);
  }

  /** The resource of a kind in one of the versions that are served. */
  ofKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`);
  }
}

/** What says that some groups are unknown, in the words of client-go. */
export function failureMessage(failures: ReadonlyMap<string, string>): string {
  const all = [...failures].map(([apiVersion, failure]) => `${apiVersion}: ${failure}`).sort();
  return `unable to retrieve the complete list of server APIs: ${all.join(', ')}`;
}
