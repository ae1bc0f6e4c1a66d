import { eventFromCore, eventToCore } from '../../../api/core/events/conversion.ts';
import { eventCells } from '../../../api/core/events/table.ts';
import type { Event } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../../strategy.ts';
import { eventStrategy } from './strategy.ts';

const rules: Pick<ResourceDefinition<Event>, 'strategy' | 'table'> = {
  strategy: eventStrategy,
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
