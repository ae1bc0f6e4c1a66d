import { expect, test } from 'vitest';
import type { ResourceStore } from './generic/resource-store.ts';
import { ResourceStores } from './resource-stores.ts';

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

test('Closing the directory closes built-in and custom resources', async () => {
  const stores = new ResourceStores();
  const [pods, widgets] = [named('', 'pods'), named('example.com', 'widgets')];
  stores.addBuiltIn('', pods.store);
  stores.add(widgets.store);
  await stores.close();
  expect([...pods.closed, ...widgets.closed]).toEqual(['pods', 'widgets']);
});
