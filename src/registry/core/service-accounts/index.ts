import type { ServiceAccount } from '../../../api/gen/types/core-v1.ts';
import { ageCell } from '../../../api/table/cells.ts';
import { defineResource } from '../../strategy.ts';
import { serviceAccountStrategy } from './strategy.ts';

export const serviceAccounts = defineResource<ServiceAccount>({
  group: '',
  resource: 'serviceaccounts',
  strategy: serviceAccountStrategy,
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, secrets }, { now }) => [
      metadata?.name ?? '',
      secrets?.length ?? 0,
      ageCell(metadata?.creationTimestamp, now),
    ],
  },
});
