import { describe, expect, test } from 'vitest';
import { resourcesFromList, resourcesInGroups } from './remote-discovery.ts';
import type { RemoteApi } from './remote-api.ts';

const api = { group: 'a.example.com', version: 'v1', apiVersion: 'a.example.com/v1' } as RemoteApi;

describe('resources of an aggregated document', () => {
  const document = (versions: object[]) =>
    ({
      items: [
        { metadata: { name: 'other' }, versions },
        { metadata: { name: 'a.example.com' }, versions },
      ],
    }) as never;

  test('Resources of an aggregated document are those of the group and version', () => {
    const versions = [
      { version: 'v2', resources: [] },
      {
        version: 'v1',
        resources: [{ resource: 'things', responseKind: { group: '', version: '', kind: 'Thing' }, verbs: ['get'] }],
        freshness: 'Stale',
      },
    ];
    expect(resourcesInGroups(document(versions), api)).toEqual([
      { resource: 'things', responseKind: { group: '', version: '', kind: 'Thing' }, verbs: ['get'] },
    ]);
  });

  test('Resources of an aggregated document always say a kind, without which some clients fail', () => {
    const nothing = { group: '', version: '', kind: '' };
    expect(
      resourcesInGroups(
        document([{ version: 'v1', resources: [{ resource: 'a', subresources: [{ subresource: 'b' }] }] }]),
        api,
      ),
    ).toEqual([{ resource: 'a', responseKind: nothing, subresources: [{ subresource: 'b', responseKind: nothing }] }]);
  });

  test.each([
    { name: 'another version', value: document([{ version: 'v2' }]) },
    { name: 'another document', value: [] as never },
    { name: 'nothing', value: null },
  ])('Resources of an aggregated document are not found in $name', ({ value }) => {
    expect(resourcesInGroups(value, api)).toBeUndefined();
  });
});

test('Resources of a legacy list have their subresources in them', () => {
  const list = {
    resources: [
      {
        name: 'things/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: ['get'],
      },
      {
        name: 'things',
        singularName: 'thing',
        namespaced: true,
        kind: 'Thing',
        verbs: ['get', 'list'],
        shortNames: ['th'],
        categories: ['all'],
      },
      { name: 'wholes', singularName: 'whole', namespaced: false, kind: 'Whole', verbs: ['get'] },
    ],
  };
  expect(resourcesFromList(list, api)).toEqual([
    {
      resource: 'things',
      responseKind: { group: 'a.example.com', version: 'v1', kind: 'Thing' },
      scope: 'Namespaced',
      singularResource: 'thing',
      verbs: ['get', 'list'],
      shortNames: ['th'],
      categories: ['all'],
      subresources: [
        { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get'] },
      ],
    },
    {
      resource: 'wholes',
      responseKind: { group: 'a.example.com', version: 'v1', kind: 'Whole' },
      scope: 'Cluster',
      singularResource: 'whole',
      verbs: ['get'],
    },
  ]);
});
