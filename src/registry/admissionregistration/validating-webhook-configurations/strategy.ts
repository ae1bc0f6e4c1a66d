import { validateWebhookConfiguration } from '../../../api/admissionregistration/webhooks.ts';
import type { ValidatingWebhookConfiguration } from '../../../api/gen/types/admissionregistration-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { commonStrategy } from '../strategy.ts';

export const validatingWebhookConfigurationStrategy: ResourceStrategy<ValidatingWebhookConfiguration> = {
  ...commonStrategy,
  validateInTurns: validateWebhookConfiguration,
};
