/**
 * Whether APIServices can be reached, written into their status. What this server answers itself can; of the others it
 * is known whether their service and its endpoints are there.
 *
 * @NOTE differs from upstream: requests are not passed on to API servers of others, so none of them becomes available.
 */
import type { APIService, APIServiceCondition } from '../../api/gen/types/apiregistration-v1.ts';
import type { Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import { isStatusError } from '../../machinery/status.ts';
import { timestamp } from '../../registry/generic/timestamp.ts';
import type { InternalWriter, ObjectName } from './internal-writer.ts';
import { apiServices } from './local-api-services.ts';

type Finding = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>;
type Find = Pick<InternalWriter, 'find'>;

/** What a round depends on when some API is not local. */
export const backingResources = [{ group: '', resource: 'services' }, { group: '', resource: 'endpoints' }];

/** One round. Tells whether any API is not local. */
export async function updateApiServiceAvailability(writer: InternalWriter, now: () => Date): Promise<boolean> {
  const services = await writer.list<APIService>(apiServices, 'any');
  for (const service of services) {
    const finding = await findOut(service, writer);
    if (isKnown(service, finding)) continue;
    await writer.change<APIService>({ ...apiServices, namespace: '', name: service.metadata.name! }, (changed) => setCondition(changed, finding, now()), 'status').catch(ignoreGone);
  }
  return services.some(({ spec }) => spec.service !== undefined);
}

function ignoreGone(error: unknown): void {
  if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
}

const unavailable = (reason: string, message: string): Finding => ({ status: 'False', reason, message });

async function findOut({ spec }: APIService, objects: Find): Promise<Finding> {
  if (spec.service === undefined) return { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
  const { namespace = '', name = '', port: wanted = 443 } = spec.service;
  const named = (resource: string): ObjectName => ({ group: '', resource, namespace, name });
  const text = `service/${name} in "${namespace}"`;
  const service = await objects.find<Service>(named('services'));
  if (service === undefined) return unavailable('ServiceNotFound', `${text} is not present`);
  if ((service.spec.type ?? 'ClusterIP') === 'ClusterIP') {
    const port = service.spec.ports?.find((candidate) => candidate.port === wanted);
    if (port === undefined) return unavailable('ServicePortError', `${text} is not listening on port ${wanted}`);
    const endpoints = await objects.find<Endpoints>(named('endpoints'));
    if (endpoints === undefined) return unavailable('EndpointsNotFound', `cannot find endpoints for ${text}`);
    if (!hasActive(endpoints, port.name ?? '')) return unavailable('MissingEndpoints', `endpoints for ${text} have no addresses with port name "${port.name ?? ''}"`);
  }
  return unavailable('FailedDiscoveryCheck', 'this version does not pass requests on to API servers of others');
}

const hasActive = ({ subsets = [] }: Endpoints, portName: string): boolean =>
  subsets.some(({ addresses = [], ports = [] }) => addresses.length > 0 && ports.some(({ name = '' }) => name === portName));

const isAvailable = ({ type }: APIServiceCondition): boolean => type === 'Available';

function isKnown({ status }: APIService, finding: Finding): boolean {
  const current = status.conditions?.find(isAvailable);
  return current?.status === finding.status && current.reason === finding.reason && current.message === finding.message;
}

function setCondition(service: APIService, finding: Finding, now: Date): void {
  const conditions = service.status.conditions ?? [];
  const index = conditions.findIndex(isAvailable);
  const current = conditions[index];
  const lastTransitionTime = current?.status === finding.status ? current.lastTransitionTime : undefined;
  const condition = { type: 'Available', ...finding, lastTransitionTime: lastTransitionTime ?? timestamp(now) };
  service.status = { ...service.status, conditions: index < 0 ? [...conditions, condition] : conditions.with(index, condition) };
}
