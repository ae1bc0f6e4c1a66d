import type { Event } from '../../src/api/gen/types/audit-v1.ts';

export const log = ['--audit-log-path=DIRECTORY/audit.log'];

export const stagesOf = (events: readonly Event[]): (string | undefined)[] => events.map(({ stage }) => stage);

export const configMaps = '/api/v1/namespaces/default/configmaps';
