import {
  setAutoscalerDefaults,
  setV1AutoscalerDefaults,
} from '../../api/autoscaling/horizontal-pod-autoscalers/defaults.ts';
import { autoscalerCells } from '../../api/autoscaling/horizontal-pod-autoscalers/table.ts';
import { autoscalerFromV2, autoscalerToV2 } from '../../api/autoscaling/horizontal-pod-autoscalers/v1-conversion.ts';
import type { HorizontalPodAutoscaler } from '../../api/gen/types/autoscaling-v2.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import {
  horizontalPodAutoscalerStatusStrategy,
  horizontalPodAutoscalerStrategy,
} from './horizontal-pod-autoscalers/strategy.ts';

export const autoscaling: readonly ResourceDefinition[] = [
  defineResource<HorizontalPodAutoscaler>({
    group: 'autoscaling',
    resource: 'horizontalpodautoscalers',
    versions: {
      v1: {
        defaults: setV1AutoscalerDefaults,
        toStorage: autoscalerToV2,
        fromStorage: autoscalerFromV2,
      } as VersionRules,
      v2: { defaults: setAutoscalerDefaults } as VersionRules,
    },
    strategy: horizontalPodAutoscalerStrategy,
    status: horizontalPodAutoscalerStatusStrategy,
    table: { cells: (object, { now }) => autoscalerCells(object, now) },
  }),
];
