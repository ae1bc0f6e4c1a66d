/**
 * Two locks that are held together, for the time in which candidates move from one to the other: those who know only
 * the first one, and those who know only the second, both see who leads.
 */
import type { HeldRecord, ResourceLock } from './lock.ts';

interface HeldBoth extends HeldRecord {
  readonly first: HeldRecord;
  readonly second: HeldRecord | undefined;
}

/** A holder that no candidate is: the locks disagree, and each record has to expire before either is taken. */
const unknownHolder = 'leaderelection.k8s.io/unknown';

export function multiLock(first: ResourceLock, second: ResourceLock): ResourceLock {
  return {
    name: first.name,
    async get(signal) {
      const one = await first.get(signal);
      const other = await second.get(signal);
      if (one === undefined && other === undefined) return undefined;
      // Only the second exists: its holder leads, and the first is made with the next write.
      if (one === undefined) return both(absent(other!), other);
      return both(one, other);
    },
    async create(record, signal) {
      const one = await first.create(record, signal);
      return both(one, await second.create(record, signal));
    },
    async update(record, before, signal) {
      const { first: one, second: other } = before as HeldBoth;
      const written = one.version === '' ? await first.create(record, signal) : await first.update(record, one, signal);
      const also = other === undefined ? second.create(record, signal) : second.update(record, other, signal);
      return both(written, await also);
    },
  };
}

const absent = ({ record }: HeldRecord): HeldRecord => ({ record, version: '' });

function both(first: HeldRecord, second: HeldRecord | undefined): HeldBoth {
  const record =
    second === undefined || first.record.holderIdentity === second.record.holderIdentity
      ? first.record
      : {
          ...first.record,
          holderIdentity: unknownHolder,
          leaseDurationSeconds: Math.max(first.record.leaseDurationSeconds, second.record.leaseDurationSeconds),
        };
  return { record, version: `${first.version}/${second?.version ?? ''}`, first, second };
}
