import {
  validatePriorityLevel,
  validatePriorityLevelStatusUpdate,
} from '../../../api/flowcontrol/priority-level-configurations/validation.ts';
import type { PriorityLevelConfiguration } from '../../../api/gen/types/flowcontrol-v1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';
import { flowControlStrategy, flowControlStatusStrategy } from '../strategy.ts';

export const priorityLevelConfigurationStrategy: ResourceStrategy<PriorityLevelConfiguration> =
  flowControlStrategy(validatePriorityLevel);

export const priorityLevelConfigurationStatusStrategy: Strategy<PriorityLevelConfiguration> = flowControlStatusStrategy(
  validatePriorityLevelStatusUpdate,
);
