/**
 * The record as a Lease.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/#leader-election | Leases: leader election}
 */
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { formatMicroTime, parseMicroTime } from '../../machinery/time.ts';
import { undefinedWhenGone } from '../undefined-when-gone.ts';
import type { Client } from '../client.ts';
import type { HeldRecord, LeaderRecord, ResourceLock } from './lock.ts';

export interface LockTarget {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
}

export function leaseLock({ client, namespace, name }: LockTarget): ResourceLock {
  const leases = client.coordination.v1.leases.namespace(namespace);
  return {
    name: `${namespace}/${name}`,
    async get(signal) {
      try {
        return heldBy(await leases.get(name, { signal }));
      } catch (error) {
        return undefinedWhenGone(error);
      }
    },
    async create(record, signal) {
      return heldBy(await leases.create({ metadata: { name, namespace }, spec: specOf(record) }, { signal }));
    },
    async update(record, before, signal) {
      const { lease } = before as HeldLease;
      return heldBy(await leases.update({ ...lease, spec: { ...lease.spec, ...specOf(record) } }, { signal }));
    },
  };
}

interface HeldLease extends HeldRecord {
  readonly lease: Lease;
}

const heldBy = (lease: Lease): HeldLease => ({
  record: recordOf(lease.spec),
  version: lease.metadata.resourceVersion ?? '',
  lease,
});

export function recordOf(spec: Lease['spec']): LeaderRecord {
  const { holderIdentity = '', leaseDurationSeconds = 0, acquireTime = '', renewTime = '', preferredHolder } = spec;
  return {
    holderIdentity,
    leaseDurationSeconds,
    acquireTime,
    renewTime,
    leaderTransitions: spec.leaseTransitions ?? 0,
    ...(preferredHolder === undefined ? {} : { preferredHolder }),
  };
}

/** Without the preferred holder, which candidates do not write. */
export const specOf = (record: LeaderRecord): Lease['spec'] => ({
  holderIdentity: record.holderIdentity,
  leaseDurationSeconds: record.leaseDurationSeconds,
  acquireTime: microTime(record.acquireTime),
  renewTime: microTime(record.renewTime),
  leaseTransitions: record.leaderTransitions,
});

/** Leases have microseconds; other locks have seconds. */
function microTime(text: string): string {
  const { seconds, nanos } = parseMicroTime(text.includes('.') ? text : text.replace('Z', '.000000Z'));
  return formatMicroTime(seconds, nanos);
}
