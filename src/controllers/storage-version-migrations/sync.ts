/** What a migration says of itself. */
import type { MigrationCondition, StorageVersionMigration } from '../../api/gen/types/storagemigration-v1alpha1.ts';
import { formatMs } from '../shared/times.ts';

export type Phase = 'Running' | 'Succeeded' | 'Failed';

const reasons: Readonly<Record<Phase, string>> = {
  Running: 'StorageVersionMigrationInProgress',
  Succeeded: 'StorageVersionMigrationSucceeded',
  Failed: 'StorageVersionMigrationFailed',
};

const holds = ({ status }: StorageVersionMigration, type: Phase): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');

export const hasEnded = (migration: StorageVersionMigration): boolean =>
  holds(migration, 'Succeeded') || holds(migration, 'Failed');

/** @returns the migration in that phase; the same when it is */
export function inPhase(
  migration: StorageVersionMigration,
  phase: Phase,
  nowMs: number,
  message = '',
): StorageVersionMigration {
  if (holds(migration, phase)) return migration;
  const condition: MigrationCondition = {
    type: phase,
    status: 'True',
    lastUpdateTime: formatMs(nowMs),
    reason: reasons[phase],
    ...(message === '' ? {} : { message }),
  };
  const before = (migration.status?.conditions ?? []).map((each) =>
    phase !== 'Running' && each.type === 'Running' ? { ...each, status: 'False' as const } : each,
  );
  return { ...migration, status: { ...migration.status, conditions: [...before, condition] } };
}
