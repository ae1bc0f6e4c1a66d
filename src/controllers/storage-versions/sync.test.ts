import { expect, test } from 'vitest';
import type { StorageVersion } from '../../api/gen/types/apiserverinternal-v1alpha1.ts';
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { isIdentity, without } from './sync.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const earlier = '2025-12-31T00:00:00Z';

const server = (apiServerID: string, encodingVersion: string) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
});

const version = (servers: ReturnType<typeof server>[], agree?: boolean): StorageVersion => ({
  metadata: { name: 'apps.deployments' },
  spec: {},
  status: {
    storageVersions: servers,
    ...(agree === true ? { commonEncodingVersion: servers[0]!.encodingVersion } : {}),
    conditions:
      agree === undefined
        ? []
        : [
            {
              type: 'AllEncodingVersionsEqual',
              status: agree ? 'True' : 'False',
              lastTransitionTime: earlier,
            } as never,
          ],
  },
});

interface Row {
  readonly name: string;
  readonly before: StorageVersion;
  readonly gone: readonly string[];
  readonly is: 'keep' | 'remove' | { readonly left: string[]; readonly common?: string; readonly since: string };
}

test.each<Row>([
  { name: 'all of its servers are there', before: version([server('a', 'v1')], true), gone: [], is: 'keep' },
  { name: 'a server is gone that it does not name', before: version([server('a', 'v1')]), gone: ['b'], is: 'keep' },
  {
    name: 'none of its servers is left',
    before: version([server('a', 'v1'), server('b', 'v1')], true),
    gone: ['a', 'b'],
    is: 'remove',
  },
  {
    name: 'one of two that agree is gone',
    before: version([server('a', 'v1'), server('b', 'v1')], true),
    gone: ['a'],
    is: { left: ['b'], common: 'v1', since: earlier },
  },
  {
    name: 'the one that wrote another version is gone',
    before: version([server('a', 'v1'), server('b', 'v2')], false),
    gone: ['a'],
    is: { left: ['b'], common: 'v2', since: '2026-01-01T12:00:00Z' },
  },
  {
    name: 'those that are left do not agree',
    before: version([server('a', 'v1'), server('b', 'v2'), server('c', 'v1')], false),
    gone: ['c'],
    is: { left: ['a', 'b'], since: earlier },
  },
  { name: 'it names no server', before: version([]), gone: ['a'], is: 'keep' },
])('A StorageVersion without servers that are gone: $name', ({ before, gone, is }) => {
  const after = without(before, new Set(gone), nowMs);
  if (typeof is === 'string') return expect(after).toBe(is);
  const { storageVersions, commonEncodingVersion, conditions } = (after as StorageVersion).status!;
  expect(storageVersions!.map(({ apiServerID }) => apiServerID)).toEqual(is.left);
  expect(commonEncodingVersion).toBe(is.common);
  expect(conditions).toMatchObject([
    { status: is.common === undefined ? 'False' : 'True', lastTransitionTime: is.since },
  ]);
});

const lease = (namespace: string, labels?: Record<string, string>): Lease =>
  ({ metadata: { name: 'a', namespace, ...(labels && { labels }) } }) as Lease;
const label = 'apiserver.kubernetes.io/identity';

test.each([
  { name: 'of an API server', lease: lease('kube-system', { [label]: 'kube-apiserver' }), is: true },
  { name: 'of another namespace', lease: lease('default', { [label]: 'kube-apiserver' }), is: false },
  { name: 'of an aggregated server', lease: lease('kube-system', { [label]: 'other' }), is: false },
  { name: 'of a controller manager', lease: lease('kube-system'), is: false },
])('A lease $name shows that an API server is there: $is', ({ lease: of, is }) => {
  expect(isIdentity(of)).toBe(is);
});
