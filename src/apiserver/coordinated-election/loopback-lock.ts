/** The Lease by which one of several API servers leads, written without a connection. */
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { recordOf, specOf } from '../../client/leader-election/lease-lock.ts';
import type { HeldRecord, LeaderRecord, ResourceLock } from '../../client/leader-election/lock.ts';
import { conflict } from '../../machinery/status.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';

const leases = { group: 'coordination.k8s.io', resource: 'leases' };

export function loopbackLock(writer: LoopbackClient, namespace: string, name: string): ResourceLock {
  const target: ObjectName = { ...leases, namespace, name };
  const changed = (): Error => conflict(leases, name, 'the lease was written since it was read');
  const read = async (): Promise<HeldRecord | undefined> => {
    const lease = await writer.find<Lease>(target);
    return lease && heldBy(lease);
  };
  return {
    name: `${namespace}/${name}`,
    get: read,
    async create(record) {
      if (!(await writer.createNew(target, { metadata: {}, spec: specOf(record) } as Lease))) throw changed();
      const held = await read();
      if (held?.record.holderIdentity !== record.holderIdentity) throw changed();
      return held;
    },
    async update(record: LeaderRecord, before) {
      const lease = await writer.changed<Lease>(target, ({ metadata, spec }) => {
        if (metadata.resourceVersion !== before.version) throw changed();
        Object.assign(spec, specOf(record));
      });
      return heldBy(lease);
    },
  };
}

const heldBy = ({ metadata, spec }: Lease): HeldRecord => ({
  record: recordOf(spec),
  version: metadata.resourceVersion ?? '',
});
