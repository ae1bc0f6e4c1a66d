import { roundResourceList } from '../../../api/core/resources/quantities.ts';
import type { ResourceQuota } from '../../../api/gen/types/core-v1.ts';
import { ageCell } from '../../../api/table/cells.ts';
import { type Cell, defineResource, type VersionRules } from '../../strategy.ts';
import { resourceQuotaStatusStrategy, resourceQuotaStrategy } from './strategy.ts';

function setDefaults({ spec, status }: ResourceQuota): void {
  for (const list of [spec.hard, status.hard, status.used]) roundResourceList(list);
}

function cells({ metadata, status: { hard = {}, used = {} } }: ResourceQuota, now: Date): Cell[] {
  const shown = (limits: boolean): string =>
    Object.keys(hard)
      .filter((name) => name.startsWith('limits.') === limits)
      .sort()
      .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name]!}`)
      .join(', ');
  return [metadata.name ?? '', ageCell(metadata.creationTimestamp, now), shown(false), shown(true)];
}

export const resourceQuotas = defineResource<ResourceQuota>({
  group: '',
  resource: 'resourcequotas',
  versions: { v1: { defaults: setDefaults } as VersionRules },
  strategy: resourceQuotaStrategy,
  status: resourceQuotaStatusStrategy,
  returnDeletedObject: true,
  table: { cells: (object, { now }) => cells(object, now) },
});
