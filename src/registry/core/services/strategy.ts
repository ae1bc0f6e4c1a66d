/** Services as they are created and changed, but for what is allocated to them (`allocation/`). */
import { validateServiceStatusUpdate } from '../../../api/core/services/status-validation.ts';
import { validateServiceUpdate } from '../../../api/core/services/update-validation.ts';
import { validateService } from '../../../api/core/services/validation.ts';
import { serviceWarnings } from '../../../api/core/services/warnings.ts';
import type { Service } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy, Strategy, StrategyContext } from '../../strategy.ts';
import { dropFieldsOfOldType } from './type-change.ts';

export const serviceStrategy: ResourceStrategy<Service> = {
  prepareForCreate(service, context) {
    service.status = { loadBalancer: {} };
    dropDisabledFields(service, undefined, context);
  },
  validate: validateService,
  warningsOnCreate: serviceWarnings,

  prepareForUpdate(service, old, context) {
    service.status = old.status;
    dropDisabledFields(service, old, context);
    dropFieldsOfOldType(service, old);
  },
  validateUpdate: validateServiceUpdate,
  warningsOnUpdate: serviceWarnings,
  resetFields: [['status']],
  allowCreateOnUpdate: true,
};

export const serviceStatusStrategy: Strategy<Service> = {
  prepareForUpdate(service, old) {
    service.spec = old.spec;
  },
  validateUpdate: validateServiceStatusUpdate,
  resetFields: [['spec']],
};

function dropDisabledFields({ spec }: Service, old: Service | undefined, { enabled }: StrategyContext): void {
  if (!enabled('ServiceTrafficDistribution') && old?.spec.trafficDistribution === undefined)
    spec.trafficDistribution = undefined;
}
