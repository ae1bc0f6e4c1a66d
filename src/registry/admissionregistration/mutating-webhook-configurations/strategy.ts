import { validateWebhookConfiguration } from '../../../api/admissionregistration/webhooks.ts';
import type { MutatingWebhookConfiguration } from '../../../api/gen/types/admissionregistration-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { commonStrategy } from '../strategy.ts';

export const mutatingWebhookConfigurationStrategy: ResourceStrategy<MutatingWebhookConfiguration> = {
  ...commonStrategy,
  validateInTurns: validateWebhookConfiguration,
};
