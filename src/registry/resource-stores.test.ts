import { expect, test } from 'vitest';
import type { ResourceStore } from './generic/resource-store.ts';
import type { ServedVersion } from './generic/served-version.ts';
import { ResourceStores, type ServedKind } from './resource-stores.ts';

interface NamedStore {
  readonly store: ResourceStore;
  readonly closed: string[];
}

function named(group: string, resourceName: string): NamedStore {
  const closed: string[] = [];
  const close = (): Promise<void> => Promise.resolve(void closed.push(resourceName));
  return { store: { group, resourceName, close } as unknown as ResourceStore, closed };
}

test('A store is found from the moment it is added, by readers that were given the directory before', () => {
  const stores = new ResourceStores();
  const read = (): ResourceStore | undefined => stores.storeOf('', 'pods');
  expect(read()).toBeUndefined();
  const { store } = named('', 'pods');
  stores.addBuiltIn('', store);
  expect(read()).toBe(store);
});

test('A built-in resource is found by the group that serves it, not by that of its stored kind', () => {
  const stores = new ResourceStores();
  const { store } = named('', 'events');
  stores.addBuiltIn('events.k8s.io', store);
  expect(stores.storeOf('events.k8s.io', 'events')).toBe(store);
  expect(stores.storeOf('', 'events')).toBeUndefined();
});

test('A custom resource does not replace a built-in one, and goes only by its own store', () => {
  const stores = new ResourceStores();
  const [builtIn, custom, next] = [named('', 'pods').store, named('', 'pods').store, named('', 'pods').store];
  stores.add(custom);
  expect(stores.storeOf('', 'pods')).toBe(custom);
  stores.addBuiltIn('', builtIn);
  expect(stores.storeOf('', 'pods')).toBe(builtIn);
  stores.add(next);
  stores.remove(custom);
  expect(stores.stores).toEqual([builtIn, next]);
  stores.remove(next);
  expect(stores.stores).toEqual([builtIn]);
});

const kindIn = (apiVersion: string, store: ResourceStore | undefined): ServedKind => ({
  servedVersion: { apiVersion, kind: 'Limit' } as ServedVersion,
  store,
});

test('A kind is found in each version that is served, until its definition goes', () => {
  const stores = new ResourceStores();
  const { store } = named('example.com', 'limits');
  const kinds = [kindIn('example.com/v1', store), kindIn('example.com/v2', store)];
  stores.add(store, kinds);
  expect(stores.kindOf('example.com/v2', 'Limit')).toEqual(kinds[1]);
  expect(stores.kindOf('example.com/v3', 'Limit')).toBeUndefined();
  stores.remove(store, kinds);
  expect(stores.kindOf('example.com/v2', 'Limit')).toBeUndefined();
});

test('The kind of what is never stored is not found, and a custom kind does not replace a built-in one', () => {
  const stores = new ResourceStores();
  stores.addBuiltInKind(kindIn('a/v1', undefined));
  expect(stores.kindOf('a/v1', 'Limit')).toBeUndefined();
  const [{ store }, custom] = [named('b', 'limits'), named('b', 'limits').store];
  stores.addBuiltInKind(kindIn('b/v1', store));
  stores.add(custom, [kindIn('b/v1', custom)]);
  expect(stores.kindOf('b/v1', 'Limit')?.store).toBe(store);
});

test('Closing the directory closes built-in and custom resources', async () => {
  const stores = new ResourceStores();
  const [pods, widgets] = [named('', 'pods'), named('example.com', 'widgets')];
  stores.addBuiltIn('', pods.store);
  stores.add(widgets.store);
  await stores.close();
  expect([...pods.closed, ...widgets.closed]).toEqual(['pods', 'widgets']);
});
