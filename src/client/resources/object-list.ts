import type { KubeObject } from '../../machinery/object-meta.ts';

export interface ListMeta {
  /** State that the list shows; a watch can go on from here. */
  resourceVersion?: string;
  /** Token for the next page; absent on the last one. */
  continue?: string;
  /** About how many objects follow on later pages; absent when a selector makes that unknown. */
  remainingItemCount?: number | bigint;
}

export interface ObjectList<T> {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta;
  items?: T[] | null;
}

/** Items of built-in types say nothing of their kind: the list does. */
export function itemsOf<T extends KubeObject>({ kind = '', apiVersion, items }: ObjectList<T>): T[] {
  const itemKind = kind.endsWith('List') ? kind.slice(0, -'List'.length) : '';
  for (const item of items ?? []) {
    if (itemKind !== '') item.kind ??= itemKind;
    if (apiVersion !== undefined) item.apiVersion ??= apiVersion;
  }
  return items ?? [];
}
