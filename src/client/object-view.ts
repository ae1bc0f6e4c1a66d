import type { KubeObject } from '../machinery/object-meta.ts';
import type { ObjectView } from '../reconcile/source.ts';

/** How informers see the objects of an API server. */
export const objectView: ObjectView<KubeObject> = {
  keyOf: ({ metadata }) => keyFor(metadata?.namespace ?? '', metadata?.name ?? ''),
  keyFor,
  namespaceOf: ({ metadata }) => metadata?.namespace ?? '',
  labelsOf: ({ metadata }) => metadata?.labels,
  versionOf: ({ metadata }) => metadata?.resourceVersion ?? '',
};

/** `namespace/name`, or the name alone: the form of keys in work queues. */
function keyFor(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
