import type { ConfigMap } from '../../../api/gen/types/core-v1.ts';
import { ageCell } from '../../../api/table/cells.ts';
import { defineResource } from '../../strategy.ts';
import { configMapStrategy } from './strategy.ts';

const keys = (map: object | undefined): number => Object.keys(map ?? {}).length;

export const configMaps = defineResource<ConfigMap>({
  group: '',
  resource: 'configmaps',
  strategy: configMapStrategy,
  table: {
    cells: ({ metadata, data, binaryData }, { now }) => [
      metadata?.name ?? '',
      keys(data) + keys(binaryData),
      ageCell(metadata?.creationTimestamp, now),
    ],
  },
});
