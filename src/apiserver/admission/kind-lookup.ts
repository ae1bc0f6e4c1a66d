/** The resources of a kind, as references to objects name kinds: of this server and of custom resource definitions. */
import type { GroupVersionInfo } from '../../api/resources.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import type { ResourceStores } from '../../registry/resource-stores.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

export interface ResourceOfKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** None for a kind that is not served in the version. */
export type KindLookup = (apiVersion: string, kind: string) => Promise<readonly ResourceOfKind[]>;

export interface KindLookupOptions {
  readonly groupVersions: readonly GroupVersionInfo[];
  readonly stores: Pick<ResourceStores, 'stores'>;
  readonly objects: CachedObjects;
}

/**
 * @NOTE differs from upstream: kinds of aggregated APIs are not found. Upstream asks discovery, twice a minute.
 */
export function createKindLookup({ groupVersions, stores, objects }: KindLookupOptions): KindLookup {
  const definitionServes = async (name: string, version: string): Promise<boolean> => {
    const definition = await objects.find<CustomResourceDefinition>(
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      '',
      name,
    );
    return definition?.spec.versions?.some((candidate) => candidate.name === version && candidate.served) ?? false;
  };
  return async (apiVersion, kind) => {
    const [group, version] = apiVersion.includes('/')
      ? (apiVersion.split('/', 2) as [string, string])
      : (['', apiVersion] as const);
    const builtIn = groupVersions
      .filter((candidate) => candidate.apiVersion === apiVersion)
      .flatMap(({ resources }) => resources.filter((resource) => resource.kind === kind))
      .map(({ name, namespaced }) => ({ group, version, resource: name, namespaced }));
    if (builtIn.length > 0) return builtIn;
    const custom = stores.stores.filter((store) => store.kind.group === group && store.kind.kind === kind);
    const found: ResourceOfKind[] = [];
    for (const { resourceName: resource, namespaced } of custom)
      if (await definitionServes(`${resource}.${group}`, version)) found.push({ group, version, resource, namespaced });
    return found;
  };
}
