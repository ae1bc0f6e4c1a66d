/** Attributes and objects for the tests of plugins. */
import { deduced } from '../../../machinery/managed-fields/merge-type.ts';
import { encodeJson } from '../../../machinery/json/writer.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { asJson, type KubeObject } from '../../../machinery/object-meta.ts';
import type { AdmissionAttributes, ObjectForms } from '../../../registry/admission.ts';
import type { CachedObjects } from '../../loopback/cached-objects.ts';

const kinds: Readonly<Record<string, string>> = {
  namespaces: 'Namespace',
  pods: 'Pod',
  nodes: 'Node',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  configmaps: 'ConfigMap',
  priorityclasses: 'PriorityClass',
};

/** No other versions; objects are shown as they are. */
export const plainForms: ObjectForms = {
  all: [],
  typeOf: () => deduced,
  show: (object) => Promise.resolve(structuredClone(asJson(object))),
  write: (object) => Promise.resolve(encodeJson(asJson(object))),
  replace: (object, shown) => {
    const isChanged = !isEqual(object, shown);
    for (const key of Object.keys(object)) delete object[key as keyof KubeObject];
    Object.assign(object, shown);
    return Promise.resolve(isChanged);
  },
};

export function attributesFor(
  resource: string,
  object: KubeObject | undefined,
  more: Partial<AdmissionAttributes> = {},
): AdmissionAttributes & { readonly warnings: string[]; readonly annotations: Record<string, string> } {
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  return {
    operation: 'CREATE',
    resource: { group: '', version: 'v1', resource },
    subresource: '',
    kind: { group: '', version: 'v1', kind: kinds[resource]! },
    namespace: resource === 'namespaces' || resource === 'nodes' ? '' : 'team',
    name: object?.metadata?.name ?? '',
    object,
    oldObject: undefined,
    options: {},
    forms: plainForms,
    user: { name: 'jane', groups: [] },
    dryRun: false,
    warn: (text) => warnings.push(text),
    annotate: (key, value) => void (annotations[key] = value),
    annotateObject: (key, value) => void (annotations[key] = value),
    ...more,
    warnings,
    annotations,
  };
}

/** Objects by `group/resource`. @param fresh what only a fresh read shows; the cache is behind */
export function objectsOf(
  cached: Readonly<Record<string, readonly KubeObject[]>>,
  fresh: Readonly<Record<string, readonly KubeObject[]>> = cached,
): CachedObjects {
  const find =
    (from: typeof cached) =>
    <T extends KubeObject>(group: string, resource: string, namespace: string, name: string): Promise<T | undefined> =>
      Promise.resolve(
        from[`${group}/${resource}`]?.find(
          ({ metadata }) => metadata?.name === name && (metadata.namespace ?? '') === namespace,
        ) as T | undefined,
      );
  return {
    find: find(cached),
    findFresh: find(fresh),
    list: <T extends KubeObject>(group: string, resource: string, namespace?: string) =>
      Promise.resolve(
        (cached[`${group}/${resource}`] ?? []).filter(
          ({ metadata }) => namespace === undefined || metadata?.namespace === namespace,
        ) as unknown as readonly T[],
      ),
  };
}
