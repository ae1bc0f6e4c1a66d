import type { ResourceDefinition } from '../strategy.ts';
import { configMaps } from './config-maps/index.ts';
import { definitions as endpoints } from './endpoints/index.ts';
import { events } from './events/index.ts';
import { limitRanges } from './limit-ranges/index.ts';
import { namespaces } from './namespaces/index.ts';
import { definitions as pods } from './pods/index.ts';
import { definitions as podTemplates } from './pod-templates/index.ts';
import { definitions as replicationControllers } from './replication-controllers/index.ts';
import { nodes } from './nodes/index.ts';
import { persistentVolumeClaims } from './persistent-volume-claims/index.ts';
import { persistentVolumes } from './persistent-volumes/index.ts';
import { resourceQuotas } from './resource-quotas/index.ts';
import { secrets } from './secrets/index.ts';
import { serviceAccounts } from './service-accounts/index.ts';
import { definitions as services } from './services/index.ts';

export const core: readonly ResourceDefinition[] = [
  configMaps,
  ...events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  resourceQuotas,
  secrets,
  serviceAccounts,
  ...pods,
  ...podTemplates,
  ...replicationControllers,
  ...endpoints,
  ...services,
];
