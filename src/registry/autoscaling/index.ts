import { setAutoscalerDefaults, setBehaviorDefaults, setV1AutoscalerDefaults } from '../../api/autoscaling/defaults.ts';
import { autoscalerCells } from '../../api/autoscaling/table.ts';
import { autoscalerFromV2, autoscalerToV2 } from '../../api/autoscaling/v1-conversion.ts';
import {
  type AutoscalerRules,
  validateAutoscaler,
  validateAutoscalerStatusUpdate,
  validateAutoscalerUpdate,
} from '../../api/autoscaling/validation.ts';
import type { HorizontalPodAutoscaler } from '../../api/gen/types/autoscaling-v2.ts';
import { defineResource, type ResourceDefinition, type StrategyContext, type VersionRules } from '../strategy.ts';

const rulesOf = ({ enabled }: StrategyContext): AutoscalerRules => ({ scaleToZero: enabled('HPAScaleToZero') });

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
    strategy: {
      prepareForCreate: (object) => {
        object.status = {};
      },
      validate: (object, context) => validateAutoscaler(object, rulesOf(context)),
      prepareForUpdate: (object, old) => {
        object.status = old.status;
      },
      validateUpdate: (object, old, context) => validateAutoscalerUpdate(object, old, rulesOf(context)),
      // An annotation of v1 can hold a part of it.
      canonicalize: ({ spec }) => setBehaviorDefaults(spec),
      resetFields: [['status']],
    },
    status: {
      prepareForUpdate: (object, old) => {
        object.spec = old.spec;
      },
      validateUpdate: validateAutoscalerStatusUpdate,
      resetFields: [['spec']],
    },
    table: { cells: (object, { now }) => autoscalerCells(object, now) },
  }),
];
