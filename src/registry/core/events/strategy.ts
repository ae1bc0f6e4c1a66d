import { validateEvent, validateEventUpdate } from '../../../api/core/events/validation.ts';
import type { Event } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const eventStrategy: ResourceStrategy<Event> = {
  allowCreateOnUpdate: true,
  validate: (object, { apiVersion }) => validateEvent(object, apiVersion),
  validateUpdate: (object, old, { apiVersion }) => validateEventUpdate(object, old, apiVersion),
};
