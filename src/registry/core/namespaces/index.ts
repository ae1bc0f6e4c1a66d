import type { Namespace } from '../../../api/gen/types/core-v1.ts';
import { ageCell } from '../../../api/table/cells.ts';
import { defineResource, type VersionRules } from '../../strategy.ts';
import { finalizeStrategy, namespaceStatusStrategy, namespaceStrategy, setNameLabel } from './strategy.ts';

function setDefaults(namespace: Namespace): void {
  setNameLabel(namespace);
  namespace.status ??= {};
  if ((namespace.status.phase ?? '') === '') namespace.status.phase = 'Active';
}

export const namespaces = defineResource<Namespace>({
  group: '',
  resource: 'namespaces',
  versions: { v1: { defaults: setDefaults } as VersionRules },
  strategy: namespaceStrategy,
  status: namespaceStatusStrategy,
  subresources: {
    finalize: finalizeStrategy,
  },
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, status }, { now }) => [
      metadata?.name ?? '',
      status?.phase ?? '',
      ageCell(metadata?.creationTimestamp, now),
    ],
  },
});
