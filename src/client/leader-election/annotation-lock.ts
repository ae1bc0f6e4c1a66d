/** The record as an annotation of an Endpoints object or a ConfigMap: the form from before there were Leases. */
import type { KubeObject } from '../../machinery/object-meta.ts';
import { undefinedWhenGone } from '../undefined-when-gone.ts';
import type { HeldRecord, LeaderRecord, ResourceLock } from './lock.ts';
import type { LockTarget } from './lease-lock.ts';

const annotation = 'control-plane.alpha.kubernetes.io/leader';

interface HeldObject extends HeldRecord {
  readonly object: KubeObject;
}

export function annotationLock(
  resource: 'endpoints' | 'configmaps',
  { client, namespace, name }: LockTarget,
): ResourceLock {
  const objects = client.dynamic({ group: '', version: 'v1', resource }).namespace(namespace);
  const kind = resource === 'endpoints' ? 'Endpoints' : 'ConfigMap';
  return {
    name: `${namespace}/${name}`,
    async get(signal) {
      try {
        return heldBy(await objects.get(name, { signal }));
      } catch (error) {
        return undefinedWhenGone(error);
      }
    },
    async create(record, signal) {
      const metadata = { name, namespace, annotations: { [annotation]: JSON.stringify(record) } };
      return heldBy(await objects.create({ apiVersion: 'v1', kind, metadata }, { signal }));
    },
    async update(record, before, signal) {
      const { object } = before as HeldObject;
      const annotations = { ...object.metadata?.annotations, [annotation]: JSON.stringify(record) };
      return heldBy(await objects.update({ ...object, metadata: { ...object.metadata, annotations } }, { signal }));
    },
  };
}

/** An object without the annotation is a lock that is free. */
function heldBy(object: KubeObject): HeldObject {
  const text = object.metadata?.annotations?.[annotation];
  const written = (text === undefined ? {} : JSON.parse(text)) as Partial<LeaderRecord>;
  return {
    record: {
      holderIdentity: written.holderIdentity ?? '',
      leaseDurationSeconds: written.leaseDurationSeconds ?? 0,
      acquireTime: written.acquireTime ?? '',
      renewTime: written.renewTime ?? '',
      leaderTransitions: written.leaderTransitions ?? 0,
    },
    version: object.metadata?.resourceVersion ?? '',
    object,
  };
}
