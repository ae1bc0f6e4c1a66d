/** Objects and requests that tests of quotas are about. */
import type {
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceQuota,
  ResourceQuotaSpec,
  Service,
} from '../../../api/gen/types/core-v1.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import { attributesFor } from './attributes.ts';
import { type QuotaServer, startQuotaServer } from './quota-server.ts';

export type Amounts = Readonly<Record<string, string>>;

export const now = (): Date => new Date('2026-01-01T00:00:00Z');
export const quota = (name: string, hard: Amounts, used: Amounts, spec: ResourceQuotaSpec = {}): ResourceQuota => ({
  metadata: { name },
  spec: { hard: { ...hard }, ...spec },
  status: { hard: { ...hard }, used: { ...used } },
});
export const start = (...quotas: ResourceQuota[]): Promise<QuotaServer> => startQuotaServer(quotas, now);

export const pod = (requests: Amounts, spec: Partial<PodSpec> = {}): Pod =>
  ({
    metadata: { name: 'p', namespace: 'team' },
    spec: { containers: [{ name: 'c', resources: { requests: { ...requests } } }], ...spec },
    status: {},
  }) as unknown as Pod;
/** A node has given this much to the container. */
export const running = (object: Pod, cpu: string): Pod => ({
  ...object,
  status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu } } }] } as unknown as Pod['status'],
});
export const service = (spec: object): Service =>
  ({
    metadata: { name: 's', namespace: 'team', resourceVersion: '1' },
    spec: { ports: [{ port: 80 }], ...spec },
  }) as Service;
export const claim = (storage: string, spec: object = {}): PersistentVolumeClaim =>
  ({
    metadata: { name: 'c', namespace: 'team', resourceVersion: '1' },
    spec: { resources: { requests: { storage } }, ...spec },
    status: {},
  }) as PersistentVolumeClaim;

export const creating = (
  resource: string,
  object: KubeObject,
  more: Partial<AdmissionAttributes> = {},
): AdmissionAttributes => attributesFor(resource, object, more);
export const on = {
  podLevel: ['PodLevelResources'],
  resize: ['InPlacePodVerticalScaling'],
};
export const updating = (resource: string, oldObject: KubeObject, object: KubeObject): AdmissionAttributes =>
  attributesFor(resource, object, { operation: 'UPDATE', oldObject });
