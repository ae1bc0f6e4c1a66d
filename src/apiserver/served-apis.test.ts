import { describe, expect, test } from 'vitest';
import type { GroupVersionInfo } from '../api/resources.ts';
import { ServedApis } from './served-apis.ts';

const version = (
  apiVersion: string,
  groupPriority: number,
  versionPriority: number,
  remote?: GroupVersionInfo['remote'],
): GroupVersionInfo => {
  const [group = '', name = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return {
    group,
    version: name,
    apiVersion,
    types: '',
    groupPriority,
    versionPriority,
    enabledByDefault: true,
    resources: [],
    ...(remote === undefined ? {} : { remote }),
  };
};
const remote = (apiVersion: string, groupPriority: number, versionPriority: number) =>
  version(apiVersion, groupPriority, versionPriority, { freshness: 'Current' });
const names = (infos: readonly GroupVersionInfo[]): string[] => infos.map(({ apiVersion }) => apiVersion);

const create = () =>
  new ServedApis({
    groupVersions: [version('v1', 18000, 1), version('apps/v1', 17800, 15), version('batch/v1', 17400, 15)],
    resources: new Map(),
  });

test('Aggregated groups are sorted by their highest priority, then by name; versions by priority, then age', () => {
  const apis = create();
  apis.setRemote([
    remote('z.example.com/v1', 100, 10),
    remote('b.example.com/v1beta1', 100, 10),
    remote('b.example.com/v2', 100, 10),
    remote('b.example.com/v1', 17500, 10),
    remote('a.example.com/v1', 100, 1),
    remote('a.example.com/v1alpha1', 100, 2),
  ]);
  expect(names(apis.groupVersions)).toEqual([
    'v1',
    'apps/v1',
    'b.example.com/v2',
    'b.example.com/v1',
    'b.example.com/v1beta1',
    'batch/v1',
    'a.example.com/v1alpha1',
    'a.example.com/v1',
    'z.example.com/v1',
  ]);
  expect(names(apis.ownGroupVersions)).toEqual(['v1', 'apps/v1', 'batch/v1']);
});

test('A group version that others answer is none of this server until they do no more', () => {
  const apis = create();
  let changes = 0;
  apis.onChange(() => changes++);
  apis.setRemote([remote('apps/v1', 17800, 15)]);
  expect([names(apis.groupVersions), names(apis.ownGroupVersions)]).toEqual([
    ['v1', 'apps/v1', 'batch/v1'],
    ['v1', 'batch/v1'],
  ]);
  apis.setRemote([]);
  expect([names(apis.ownGroupVersions), changes]).toEqual([['v1', 'apps/v1', 'batch/v1'], 2]);
});

describe('the names in a path', () => {
  const apis = create();
  apis.setRemote([
    version('remote.example.com/v1', 100, 10, {
      freshness: 'Current',
      resources: [{ resource: 'things', subresources: [{ subresource: 'status' }] }],
    }),
    remote('silent.example.com/v1', 100, 10),
  ]);
  test.each([
    { name: 'that does not exist', names: ['other.example.com/v1', 'things', ''], expected: 'nothing' },
    {
      name: 'of a version whose server did not say what it has',
      names: ['silent.example.com/v1', 'things', ''],
      expected: 'version',
    },
    {
      name: 'of a resource that another server does not have',
      names: ['remote.example.com/v1', 'others', ''],
      expected: 'version',
    },
    {
      name: 'of a resource of another server',
      names: ['remote.example.com/v1', 'things', ''],
      expected: 'subresource',
    },
    {
      name: 'of a subresource of another server',
      names: ['remote.example.com/v1', 'things', 'status'],
      expected: 'subresource',
    },
    {
      name: 'of a subresource that another server does not have',
      names: ['remote.example.com/v1', 'things', 'x'],
      expected: 'resource',
    },
  ] as const)(
    'The names in a path: $name are known so far',
    ({ names: [apiVersion, resource, subresource], expected }) => {
      expect(apis.knows(apiVersion, resource, subresource)).toBe(expected);
    },
  );
});
