/** The stores of the server that the thread for large requests uses, by name. */
import type { GroupVersionInfo, ResourceInfo } from '../../api/resources.ts';
import type { Store } from '../../storage/interface.ts';
import { objectsOf, plainOf } from './messages.ts';

type Stored = Pick<ResourceInfo, 'group' | 'name' | 'storage' | 'apiVersion'> &
  Partial<Pick<ResourceInfo, 'kind' | 'type'>>;

/** Of a custom resource no more is known here than its names. */
export function resourceOf(groupVersions: readonly GroupVersionInfo[], group: string, name: string): Stored {
  for (const { resources } of groupVersions) {
    const found = resources.find((info) => info.group === group && info.name === name);
    if (found !== undefined) return found;
  }
  return { group, name, apiVersion: `${group}/v1` };
}

export interface NamedStores {
  readonly objects: (group: string, resource: string) => Store;
  readonly plain: (group: string, resource: string) => Store;
}

const storeName = /^(objects|plain) ([^/]*)\/(.+)$/;

/** The store that the thread means by a name, made once. */
export function storesByName(stores: NamedStores): (name: string) => Store {
  const known = new Map<string, Store>();
  return (name) => {
    let store = known.get(name);
    if (store !== undefined) return store;
    const [, kind, group = '', resource = ''] = storeName.exec(name) ?? [];
    if (kind === undefined) throw new Error(`there is no store ${JSON.stringify(name)}`);
    store = stores[kind as keyof NamedStores](group, resource);
    known.set(kind === 'objects' ? objectsOf(group, resource) : plainOf(group, resource), store);
    return store;
  };
}
