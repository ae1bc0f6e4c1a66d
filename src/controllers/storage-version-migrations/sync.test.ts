import { expect, test } from 'vitest';
import type { StorageVersionMigration } from '../../api/gen/types/storagemigration-v1alpha1.ts';
import { hasEnded, inPhase, type Phase } from './sync.ts';

const nowMs = Date.UTC(2024, 0, 1);
const empty = { metadata: { name: 'm' }, status: {} } as unknown as StorageVersionMigration;
const shown = ({ status }: StorageVersionMigration): string[] =>
  (status?.conditions ?? []).map(({ type, status: is, reason, message = '' }) => `${type} ${is} ${reason} ${message}`);

test.each([
  {
    name: 'begins',
    phases: ['Running'],
    conditions: ['Running True StorageVersionMigrationInProgress '],
    ended: false,
  },
  {
    name: 'goes on',
    phases: ['Running', 'Running'],
    conditions: ['Running True StorageVersionMigrationInProgress '],
    ended: false,
  },
  {
    name: 'succeeds',
    phases: ['Running', 'Succeeded'],
    conditions: [
      'Running False StorageVersionMigrationInProgress ',
      'Succeeded True StorageVersionMigrationSucceeded ',
    ],
    ended: true,
  },
  {
    name: 'fails before it began',
    phases: ['Failed'],
    conditions: ['Failed True StorageVersionMigrationFailed why'],
    ended: true,
  },
])('A migration that $name says so', ({ phases, conditions, ended }) => {
  const migration = (phases as Phase[]).reduce(
    (before, phase) => inPhase(before, phase, nowMs, phase === 'Failed' ? 'why' : ''),
    empty,
  );
  expect(shown(migration)).toEqual(conditions);
  expect(hasEnded(migration)).toBe(ended);
});
