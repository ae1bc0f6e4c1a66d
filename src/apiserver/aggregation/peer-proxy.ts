/**
 * Requests for resources that another server of the cluster serves and this one does not, while servers of two versions
 * run: they go there, once, with the name of the caller.
 * @see {@link https://kep.k8s.io/4020 | KEP-4020: unknown version interoperability proxy}
 */
import { serviceUnavailable } from '../../machinery/status.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';
import type { Address } from '../webhooks/service-resolver.ts';

/** A request that has it is answered by the server that it reached. */
export const peerProxiedHeader = 'x-kubernetes-peer-proxied';

export interface PeerProxyOptions {
  /** Whether this server, or an aggregated one, answers for the resource. */
  readonly isServed: (apiVersion: string, resource: string) => boolean;
  /** Identities of the other servers that serve the resource in this version, by their StorageVersions. */
  readonly serversOf: (group: string, apiVersion: string, resource: string) => readonly string[];
  /** Where a server is; undefined when it is gone. */
  readonly addressOf: (server: string) => Promise<Address | undefined>;
  readonly send: (request: ApiRequest, address: Address) => Promise<ApiResponse>;
  /** Told of the code of each answer of another server. */
  readonly onRerouted: (code: number) => void;
  /** From 0 to below 1: chooses among servers. */
  readonly random?: () => number;
}

export function peerProxy(options: PeerProxyOptions): Filter {
  const { isServed, serversOf } = options;
  return (request, next) => {
    const { info, exchange } = request;
    if (!info.isResourceRequest || exchange.header(peerProxiedHeader) === 'true') return next();
    const apiVersion = info.group === '' ? info.version : `${info.group}/${info.version}`;
    if (isServed(apiVersion, info.resource)) return next();
    const servers = serversOf(info.group, apiVersion, info.resource);
    return servers.length === 0 ? next() : pass(request, servers, options);
  };
}

async function pass(
  request: ApiRequest,
  servers: readonly string[],
  { addressOf, send, onRerouted, random = Math.random }: PeerProxyOptions,
): Promise<ApiResponse> {
  const found = await Promise.allSettled(servers.map(addressOf));
  const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? (each.value ?? []) : []));
  if (addresses.length === 0)
    throw serviceUnavailable('Error getting ip and port info of the remote server while proxying');
  const answer = await send(request, addresses[Math.floor(random() * addresses.length)]!);
  onRerouted(answer.status);
  return answer;
}
