import type { JournalState, LogRecord } from './journal.ts';
import type { KeyIndex } from './key-index.ts';
import type { Lessor } from './lessor.ts';
import type { RevisionLog } from './revision-log.ts';
import type { Lease, Version } from './version.ts';

/** The revision of a store that nothing was written to, as in etcd. */
const FIRST_REVISION = 1;

interface Targets {
  readonly index: KeyIndex;
  readonly revisionLog: RevisionLog;
  readonly leases: Lessor;
}

/** Builds what is kept in memory from what the journal holds. */
export function replay(
  { leases, log, compacted, swept }: JournalState,
  targets: Targets,
): { revision: number; compacted: number; swept: number } {
  for (const lease of leases) targets.leases.restore(lease);
  let revision = FIRST_REVISION;
  for (const record of log) {
    revision = record.revision;
    for (const version of versionsOf(record, targets)) if (revision >= swept) targets.revisionLog.push(version);
  }
  return { revision, compacted, swept };
}

function versionsOf(record: LogRecord, { index, leases }: Targets): Version[] {
  const { revision: modRevision } = record;
  if (record.kind === 'delete') {
    const deletion = { modRevision, createRevision: 0, lease: undefined, value: undefined };
    return record.keys.map((bytes) => index.add(index.openBytes(bytes, false), deletion));
  }
  const history = index.openBytes(record.bytes, record.createRevision === modRevision);
  const lease = record.leaseId === 0 ? undefined : leaseOf(record.leaseId, leases);
  lease?.keys.add(history);
  return [index.add(history, { modRevision, createRevision: record.createRevision, lease, value: undefined })];
}

/** An older version may name a lease that is gone. */
function leaseOf(id: number, leases: Lessor): Lease | undefined {
  return leases.byNumber(id);
}
