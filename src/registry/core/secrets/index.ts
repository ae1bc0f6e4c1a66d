import { setSecretDefaults } from '../../../api/core/secrets/defaults.ts';
import type { Secret } from '../../../api/gen/types/core-v1.ts';
import { ageCell } from '../../../api/table/cells.ts';
import { defineResource, type VersionRules } from '../../strategy.ts';
import { secretStrategy } from './strategy.ts';

export const secrets = defineResource<Secret>({
  group: '',
  resource: 'secrets',
  versions: { v1: { defaults: setSecretDefaults } as VersionRules },
  strategy: secretStrategy,
  table: {
    cells: ({ metadata, type, data }, { now }) => [
      metadata?.name ?? '',
      type ?? '',
      Object.keys(data ?? {}).length,
      ageCell(metadata?.creationTimestamp, now),
    ],
  },
});
