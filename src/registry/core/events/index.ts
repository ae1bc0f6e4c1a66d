import { eventFromCore, eventToCore } from '../../../api/core/events/conversion.ts';
import { eventCells } from '../../../api/core/events/table.ts';
import { validateEvent, validateEventUpdate } from '../../../api/core/events/validation.ts';
import type { Event } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../../strategy.ts';

const rules: Pick<ResourceDefinition<Event>, 'strategy' | 'table'> = {
  strategy: {
    allowCreateOnUpdate: true,
    validate: (object, { apiVersion }) => validateEvent(object, apiVersion),
    validateUpdate: (object, old, { apiVersion }) => validateEventUpdate(object, old, apiVersion),
  },
  table: { cells: (object, { now }) => eventCells(object, now) },
};

/** One set of objects, served by two groups. */
export const events: readonly ResourceDefinition[] = [
  defineResource<Event>({ group: '', resource: 'events', ...rules }),
  defineResource<Event>({
    group: 'events.k8s.io',
    resource: 'events',
    versions: { v1: { toStorage: eventToCore, fromStorage: eventFromCore } as VersionRules },
    ...rules,
  }),
];
