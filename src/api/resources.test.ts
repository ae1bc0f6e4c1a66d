import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../test/support/shared.ts';
import {
  findGroupVersion,
  findKind,
  findResource,
  findSubresource,
  gated,
  groupVersions,
  resourcesOf,
  storageVersionHash,
  type ResourceInfo,
} from './resources.ts';
import { schemas } from './schemas.ts';

interface Fact {
  name: string;
  kind: string;
  listKind?: string;
  singular: string;
  shortNames?: string[];
  categories?: string[];
  namespaced: boolean;
  verbs: string[];
  subresources?: { name: string; kind: string; group?: string; version?: string; verbs: string[] }[];
  storageVersion?: string;
  storagePrefix?: string;
  storageVersionHash?: string;
  fieldSelectors?: string[];
}
interface Facts {
  groupPriority: Record<string, { group: number; version: number }>;
  groupVersions: Record<
    string,
    { group: string; version: string; types: string; enabledByDefault: boolean; resources: Fact[] }
  >;
}

const facts = hasShared('facts/resources.json')
  ? (JSON.parse(readFileSync(sharedPath('facts/resources.json'), 'utf8')) as Facts)
  : { groupPriority: {}, groupVersions: {} };

/** Upstream 1.32 itself shows the hash of v1beta1 for CRDs, although it stores v1. */
const CRD_HASH = 'jfWCUB31mvA=';

function asFact(resource: ResourceInfo): Fact {
  const { group, name, kind, listKind, singular, shortNames, categories, namespaced, verbs, subresources, storage } =
    resource;
  return {
    name,
    kind,
    singular,
    namespaced,
    verbs: [...verbs],
    ...(listKind && { listKind }),
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(({ name, kind, apiVersion, verbs }) => {
        const [group, version] = apiVersion.split('/');
        return { name, kind, ...(apiVersion !== resource.apiVersion && { group, version }), verbs: [...verbs] };
      }),
    }),
    ...(storage && {
      storageVersion: storage.apiVersion === 'v1' && group !== '' ? 'core/v1' : storage.apiVersion.split('/').at(-1),
      storagePrefix: storage.prefix,
      storageVersionHash: storageVersionHash(storage.hashedAs, kind),
      fieldSelectors: [...storage.fieldSelectors],
    }),
  } as Fact;
}

const absent = Object.keys(facts.groupVersions).length === 0;

describe.skipIf(absent)('the resources equal the recorded facts (skipped where facts/resources.json is absent)', () => {
  test('The table of resources has the recorded group versions with their priorities', () => {
    const expected = Object.entries(facts.groupVersions).map(
      ([apiVersion, { group, version, types, enabledByDefault }]) => ({
        apiVersion,
        group,
        version,
        types,
        enabledByDefault,
        priority: facts.groupPriority[apiVersion],
      }),
    );
    const ours = groupVersions.map(
      ({ apiVersion, group, version, types, enabledByDefault, groupPriority, versionPriority }) => ({
        apiVersion,
        group,
        version,
        types,
        enabledByDefault,
        priority: { group: groupPriority, version: versionPriority },
      }),
    );
    // The aggregation layer's own group has no priority upstream: it always comes first.
    const withoutPriority = (row: { apiVersion: string }): object =>
      row.apiVersion === 'apiregistration.k8s.io/v1' ? { ...row, priority: undefined } : row;
    expect(ours.map(withoutPriority)).toEqual(expected);
  });

  test.each(Object.entries(facts.groupVersions))(
    '%s has the same resources and subresources as recorded',
    (apiVersion, { resources }) => {
      const expected = resources.map((fact) =>
        fact.kind === 'CustomResourceDefinition' ? { ...fact, storageVersionHash: CRD_HASH } : fact,
      );
      expect(resourcesOf(apiVersion).map(asFact)).toEqual(expected);
    },
  );
});

const all = groupVersions.flatMap(({ resources }) => resources);

describe('every resource has its types', () => {
  test.each(all.map((resource) => [`${resource.apiVersion} ${resource.name}`, resource] as const))(
    'Every resource has its types: %s',
    (_, resource) => {
      expect(schemas.ofKind(resource.apiVersion, resource.kind)).toBe(resource.type);
      if (resource.listKind)
        expect(schemas.ofKind(resource.apiVersion, resource.listKind)).toBe(`${resource.type}List`);
      for (const { apiVersion, kind } of resource.subresources)
        expect(schemas.ofKind(apiVersion, kind), kind).toBeDefined();
      if (resource.storage) expect(schemas.ofKind(resource.storage.apiVersion, resource.kind)).toBeDefined();
    },
  );
});

describe('look-ups', () => {
  test('The look-up finds a resource by its plural name and by its kind', () => {
    const deployments = findResource('apps/v1', 'deployments');
    expect(deployments).toMatchObject({ kind: 'Deployment', type: 'apps/v1.Deployment', namespaced: true });
    expect(findKind('apps/v1', 'Deployment')).toBe(deployments);
    expect(findGroupVersion('apps/v1')?.resources).toContain(deployments);
  });

  test('The look-up finds nothing for what does not exist', () => {
    expect(findResource('apps/v1', 'pods')).toBeUndefined();
    expect(findKind('v1', 'Scale')).toBeUndefined();
    expect(findGroupVersion('apps/v9')).toBeUndefined();
    expect(resourcesOf('apps/v9')).toEqual([]);
  });

  test('The look-up gives a subresource the kind of its resource unless it has its own', () => {
    const pods = findResource('v1', 'pods') as ResourceInfo;
    expect(findSubresource(pods, 'status')).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
    expect(findSubresource(pods, 'eviction')).toMatchObject({ kind: 'Eviction', apiVersion: 'policy/v1' });
    expect(findSubresource(pods, 'resize')).toMatchObject({ featureGate: 'InPlacePodVerticalScaling' });
  });

  test('The look-up hides a subresource whose gate is off', () => {
    const pods = findResource('v1', 'pods') as ResourceInfo;
    expect(findSubresource(gated(pods), 'resize')).toBeUndefined();
    expect(findSubresource(gated(pods, { InPlacePodVerticalScaling: true }), 'resize')).toBeDefined();
  });
});
