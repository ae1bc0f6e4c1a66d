import { describe, expect, test } from 'vitest';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { CustomResource } from '../../registry/custom/resource.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { ServedApis } from '../served-apis.ts';
import { CustomResources } from './custom-resources.ts';

function definition(
  version: string,
  options: { established?: boolean; uid?: string; terminating?: boolean } = {},
): CustomResourceDefinition {
  const { established = true, uid = 'u', terminating = false } = options;
  const conditions = [
    { type: 'Established', status: established ? 'True' : 'False' },
    ...(terminating ? [{ type: 'Terminating', status: 'True' }] : []),
  ];
  return {
    metadata: { name: 'things.e.com', uid },
    spec: { group: 'e.com', scope: 'Namespaced', names: { plural: 'things' }, versions: [{ name: version }] },
    status: { acceptedNames: { plural: 'things' }, conditions },
  };
}

function setUp(): {
  readonly subject: CustomResources;
  readonly apis: ServedApis;
  readonly closed: string[];
  readonly stores: Set<unknown>;
} {
  const apis = new ServedApis({ groupVersions: [], resources: new Map() });
  const closed: string[] = [];
  const stores = new Set<unknown>();
  const registry = {
    add: (store: unknown) => stores.add(store),
    remove: (store: unknown) => stores.delete(store),
  } as unknown as RegistryCatalog;
  const create = ({ spec }: CustomResourceDefinition): CustomResource => {
    const { name } = spec.versions![0]!;
    if (name === 'bad') throw new Error('cannot be read');
    return {
      store: {},
      close: () => Promise.resolve(void closed.push(name!)),
      entries: [{ info: { group: 'e.com', version: name, apiVersion: `e.com/${name}`, name: 'things' } }],
    } as unknown as CustomResource;
  };
  return {
    subject: new CustomResources({
      registry,
      apis,
      create,
      serve: (entry) => ({ ...entry }) as unknown as ServedResource,
      log: silentLogger,
    }),
    apis,
    closed,
    stores,
  };
}

describe('what definitions define', () => {
  test('A custom resource is served from when it is established until it is gone', async () => {
    const { subject, apis, closed, stores } = setUp();
    subject.sync('things.e.com', definition('v1', { established: false }));
    expect(apis.find('e.com/v1', 'things')).toBeUndefined();
    subject.sync('things.e.com', definition('v1'));
    expect(apis.find('e.com/v1', 'things')).toBeDefined();
    expect(apis.groupVersions.map(({ apiVersion }) => apiVersion)).toEqual(['e.com/v1']);
    expect(stores.size).toBe(1);
    subject.sync('things.e.com', undefined);
    await subject.close();
    expect([apis.find('e.com/v1', 'things'), apis.groupVersions, stores.size, closed]).toEqual([
      undefined,
      [],
      0,
      ['v1'],
    ]);
  });

  test('A custom resource is opened anew when the definition is another, and only then', () => {
    const { subject, closed, apis } = setUp();
    subject.sync('things.e.com', definition('v1'));
    const first = apis.find('e.com/v1', 'things');
    subject.sync('things.e.com', {
      ...definition('v1'),
      metadata: { name: 'things.e.com', uid: 'u', labels: { a: 'b' } },
    });
    expect(apis.find('e.com/v1', 'things')).toBe(first);
    subject.sync('things.e.com', definition('v1', { uid: 'made again' }));
    expect(apis.find('e.com/v1', 'things')).not.toBe(first);
    subject.sync('things.e.com', definition('v2', { uid: 'made again' }));
    expect([apis.find('e.com/v1', 'things'), closed]).toEqual([undefined, ['v1', 'v1']]);
  });

  test('A custom resource stays open while a request uses it', () => {
    const { subject, closed, apis } = setUp();
    subject.sync('things.e.com', definition('v1'));
    const { lifetime } = apis.find('e.com/v1', 'things')!;
    const leave = [lifetime!.enter(), lifetime!.enter()];
    subject.sync('things.e.com', definition('v2'));
    leave[0]!();
    expect(closed).toEqual([]);
    leave[1]!();
    expect(closed).toEqual(['v1']);
  });

  test('A custom resource lets nothing new come when the definition goes', () => {
    const { subject, apis } = setUp();
    subject.sync('things.e.com', definition('v1'));
    const { lifetime } = apis.find('e.com/v1', 'things')!;
    expect(lifetime!.isTerminating).toBe(false);
    subject.sync('things.e.com', definition('v1', { terminating: true }));
    expect(lifetime!.isTerminating).toBe(true);
  });

  test('A custom resource stays as it was when the new definition cannot be read', () => {
    const { subject, apis, closed } = setUp();
    subject.sync('things.e.com', definition('v1'));
    expect(() => subject.sync('things.e.com', definition('bad'))).toThrow('cannot be read');
    expect(apis.find('e.com/v1', 'things')).toBeDefined();
    expect(closed).toEqual([]);
  });
});
