/**
 * Where a service of the cluster is reached from here: at its cluster IP, or, where this server has no way to those, at
 * one of its endpoints (`--enable-aggregator-routing`).
 */
import type { Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import type { AdmissionObjects } from '../admission/objects.ts';
import type { ServicePort } from '../aggregation/remote-api.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Rejects with why there is none. */
export type ServiceResolver = (target: ServicePort) => Promise<Address>;

export const authorityOf = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

export interface ServiceResolverOptions {
  readonly objects: Pick<AdmissionObjects, 'find'>;
  readonly toEndpoints: boolean;
}

export function createServiceResolver({ objects, toEndpoints }: ServiceResolverOptions): ServiceResolver {
  return async (target) => {
    const service = await objects.find<Service>('', 'services', target.namespace, target.name);
    if (service === undefined) throw new Error(`service ${goQuote(target.name)} not found`);
    if (!toEndpoints) return clusterAddress(service, target);
    return endpointOf(service, await objects.find<Endpoints>('', 'endpoints', target.namespace, target.name), target);
  };
}

const typeOf = ({ spec }: Service): string => spec.type ?? 'ClusterIP';

const portOf = ({ spec, metadata }: Service, { port }: ServicePort): NonNullable<Service['spec']['ports']>[number] => {
  const found = spec.ports?.find((candidate) => candidate.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${goQuote(metadata.name ?? '')}`);
  return found;
};

function clusterAddress(service: Service, target: ServicePort): Address {
  const { clusterIP = '', externalName = '' } = service.spec;
  if (typeOf(service) === 'ExternalName') return { host: externalName, port: target.port };
  if (clusterIP === 'None' || clusterIP === '') throw new Error('cannot route to service with ClusterIP "None"');
  return { host: clusterIP, port: portOf(service, target).port! };
}

/** A ready address that has the port, by chance. */
function endpointOf(service: Service, endpoints: Endpoints | undefined, target: ServicePort): Address {
  if (typeOf(service) === 'ExternalName') throw new Error('unsupported service type "ExternalName"');
  const { name: portName = '' } = portOf(service, target);
  if (endpoints === undefined) throw new Error(`endpoints ${goQuote(target.name)} not found`);
  const addresses = (endpoints.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find(({ name = '' }) => name === portName)?.port;
    return port === undefined ? [] : addresses.map(({ ip = '' }) => ({ host: ip, port }));
  });
  const chosen = addresses[Math.floor(Math.random() * addresses.length)];
  if (chosen === undefined) throw new Error(`no endpoints available for service ${goQuote(target.name)}`);
  return chosen;
}
