import { setBehaviorDefaults } from '../../../api/autoscaling/horizontal-pod-autoscalers/defaults.ts';
import {
  type AutoscalerRules,
  validateAutoscaler,
  validateAutoscalerStatusUpdate,
  validateAutoscalerUpdate,
} from '../../../api/autoscaling/horizontal-pod-autoscalers/validation.ts';
import type { HorizontalPodAutoscaler } from '../../../api/gen/types/autoscaling-v2.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';

const rulesOf = ({ enabled }: StrategyContext): AutoscalerRules => ({ scaleToZero: enabled('HPAScaleToZero') });

export const horizontalPodAutoscalerStrategy: ResourceStrategy<HorizontalPodAutoscaler> = {
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
};

export const horizontalPodAutoscalerStatusStrategy: Strategy<HorizontalPodAutoscaler> = {
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
  },
  validateUpdate: validateAutoscalerStatusUpdate,
  resetFields: [['spec']],
};
