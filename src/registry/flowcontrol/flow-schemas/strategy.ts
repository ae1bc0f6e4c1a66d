import {
  validateFlowSchema,
  validateFlowSchemaStatusUpdate,
} from '../../../api/flowcontrol/flow-schemas/validation.ts';
import type { FlowSchema } from '../../../api/gen/types/flowcontrol-v1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';
import { flowControlStrategy, flowControlStatusStrategy } from '../strategy.ts';

export const flowSchemaStrategy: ResourceStrategy<FlowSchema> = flowControlStrategy(validateFlowSchema);

export const flowSchemaStatusStrategy: Strategy<FlowSchema> = flowControlStatusStrategy(validateFlowSchemaStatusUpdate);
