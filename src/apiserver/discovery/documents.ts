/**
 * Discovery documents: what this server serves, as legacy discovery (one document per group and version) and
 * aggregated discovery (KEP-3352).
 * @see {@link https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api | Discovery API}
 */
import {
  storageVersionHash,
  type GroupVersionInfo,
  type ResourceInfo,
  type SubresourceInfo,
} from '../../api/resources.ts';
import type { JsonObject } from '../../machinery/value.ts';

/** What is served: group versions in order of priority, with what `--runtime-config` left of them. */
export interface Served {
  readonly groupVersions: readonly GroupVersionInfo[];
}

const versionRef = (info: GroupVersionInfo): JsonObject => ({ groupVersion: info.apiVersion, version: info.version });

export const groupsOf = ({ groupVersions }: Served): string[] =>
  [...new Set(groupVersions.map(({ group }) => group))].filter((group) => group !== '');

const versionsOf = ({ groupVersions }: Served, group: string): GroupVersionInfo[] =>
  groupVersions.filter((info) => info.group === group);

/** `GET /api` */
export const apiVersions = (served: Served, serverAddress: string): JsonObject => ({
  kind: 'APIVersions',
  versions: versionsOf(served, '').map(({ version }) => version),
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});

function group(served: Served, name: string): JsonObject {
  const versions = versionsOf(served, name).map(versionRef);
  return { name, versions, preferredVersion: versions[0]! };
}

/** `GET /apis` */
export const apiGroupList = (served: Served): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groupsOf(served).map((name) => group(served, name)),
});

/** `GET /apis/<group>`; undefined for a group that is not served. */
export const apiGroup = (served: Served, name: string): JsonObject | undefined =>
  versionsOf(served, name).length === 0 || name === ''
    ? undefined
    : { kind: 'APIGroup', apiVersion: 'v1', ...group(served, name) };

/** `GET /apis/<group>/<version>` */
export function apiResourceList(served: Served, apiVersion: string): JsonObject | undefined {
  const info = served.groupVersions.find((candidate) => candidate.apiVersion === apiVersion);
  if (info === undefined) return undefined;
  // Upstream's core version has no apiVersion here; it registers the list under the empty one.
  return {
    kind: 'APIResourceList',
    ...(info.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersion,
    resources: info.resources.flatMap(resourceEntries),
  };
}

function resourceEntries(resource: ResourceInfo): JsonObject[] {
  const { name, namespaced } = resource;
  const own: JsonObject = {
    name,
    singularName: resource.singular,
    namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length === 0 ? {} : { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length === 0 ? {} : { categories: [...resource.categories] }),
    ...(resource.storage === undefined
      ? {}
      : { storageVersionHash: storageVersionHash(resource.storage.hashedAs, resource.kind) }),
  };
  return [own, ...resource.subresources.map((sub) => subresourceEntry(resource, sub))];
}

function subresourceEntry(resource: ResourceInfo, sub: SubresourceInfo): JsonObject {
  const [group, version] = splitApiVersion(sub.apiVersion);
  return {
    name: `${resource.name}/${sub.name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(sub.apiVersion === resource.apiVersion ? {} : { ...(group === '' ? {} : { group }), version }),
    kind: sub.kind,
    verbs: [...sub.verbs],
  };
}

const splitApiVersion = (apiVersion: string): [string, string] => {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
};

/** `GET /api` and `GET /apis` as `APIGroupDiscoveryList`. */
export function aggregated(served: Served, root: '/api' | '/apis', version: string): JsonObject {
  const groups = root === '/api' ? [''] : groupsOf(served);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((name) => ({
      metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
      versions: versionsOf(served, name).map(discoveredVersion),
    })),
  };
}

function discoveredVersion({ version, remote, resources, isCustom }: GroupVersionInfo): JsonObject {
  const known =
    remote === undefined
      ? resources.map((resource) => discoveredResource(resource, isCustom === true))
      : remote.resources;
  return {
    version,
    ...(known === undefined ? {} : { resources: [...known] }),
    freshness: remote?.freshness ?? 'Current',
  };
}

/** Built-in kinds leave out what the group version around them says. */
function discoveredResource(resource: ResourceInfo, isCustom: boolean): JsonObject {
  const own = isCustom ? { group: resource.group, version: resource.version } : { group: '', version: '' };
  return {
    resource: resource.name,
    responseKind: { ...own, kind: resource.kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length === 0 ? {} : { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length === 0 ? {} : { categories: [...resource.categories] }),
    ...(resource.subresources.length === 0
      ? {}
      : { subresources: resource.subresources.map((sub) => discoveredSubresource(resource, sub, own)) }),
  };
}

function discoveredSubresource(
  resource: ResourceInfo,
  sub: SubresourceInfo,
  own: { group: string; version: string },
): JsonObject {
  const [group, version] = splitApiVersion(sub.apiVersion);
  const kindOf = sub.apiVersion === resource.apiVersion ? own : { group, version };
  return { subresource: sub.name, responseKind: { ...kindOf, kind: sub.kind }, verbs: [...sub.verbs] };
}
