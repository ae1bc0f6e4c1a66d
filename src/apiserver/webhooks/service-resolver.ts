/**
 * Where this server reaches a service of the cluster, for webhooks and aggregated APIs alike: at its cluster IP, or,
 * where this server has no route to cluster IPs, at one of its endpoints (`--enable-aggregator-routing`).
 */
import type { Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

/** A port of a service, by the number that the service has for it. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Rejects with why there is none. */
export type ServiceResolver = (target: ServicePort) => Promise<Address>;

/** What the certificate of a service is for. */
export const serverNameOf = ({ name, namespace }: Pick<ServicePort, 'name' | 'namespace'>): string =>
  `${name}.${namespace}.svc`;

export const authorityOf = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

export interface ServiceResolverOptions {
  readonly objects: Pick<CachedObjects, 'find'>;
  /** Endpoints instead of the cluster IP. */
  readonly toEndpoints: boolean;
  /** From 0 to below 1: chooses among endpoints. */
  readonly random?: () => number;
}

export function createServiceResolver({
  objects,
  toEndpoints,
  random = Math.random,
}: ServiceResolverOptions): ServiceResolver {
  return async (target) => {
    const service = await objects.find<Service>('', 'services', target.namespace, target.name);
    if (service === undefined) throw new Error(`service ${goQuote(target.name)} not found`);
    if (!toEndpoints) return clusterAddress(service, target);
    const { name: portName = '' } = portOf(service, target);
    refuseExternal(service);
    const addresses = endpointsOf(
      await objects.find<Endpoints>('', 'endpoints', target.namespace, target.name),
      target,
      portName,
    );
    return addresses[Math.floor(random() * addresses.length)]!;
  };
}

const typeOf = ({ spec }: Service): string => spec.type ?? 'ClusterIP';

const portOf = ({ spec, metadata }: Service, { port }: ServicePort): NonNullable<Service['spec']['ports']>[number] => {
  const found = spec.ports?.find((candidate) => candidate.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${goQuote(metadata.name ?? '')}`);
  return found;
};

/** An external name has no endpoints here. */
function refuseExternal(service: Service): void {
  if (typeOf(service) === 'ExternalName') throw new Error('unsupported service type "ExternalName"');
}

/** The ports of an external name are not compared: the name may stand for any server. */
function clusterAddress(service: Service, target: ServicePort): Address {
  const { clusterIP = '', externalName = '' } = service.spec;
  if (typeOf(service) === 'ExternalName') return { host: externalName, port: target.port };
  if (clusterIP === 'None' || clusterIP === '') throw new Error('cannot route to service with ClusterIP "None"');
  return { host: clusterIP, port: portOf(service, target).port! };
}

/** The ready addresses that have the port of that name, each with the number that the port has there. Never empty. */
function endpointsOf(endpoints: Endpoints | undefined, { name }: ServicePort, portName: string): Address[] {
  if (endpoints === undefined) throw new Error(`endpoints ${goQuote(name)} not found`);
  const found = (endpoints.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find((candidate) => (candidate.name ?? '') === portName)?.port;
    return port === undefined ? [] : addresses.map(({ ip = '' }) => ({ host: ip, port }));
  });
  if (found.length === 0) throw new Error(`no endpoints available for service ${goQuote(name)}`);
  return found;
}
