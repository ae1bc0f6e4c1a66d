/** Where a request for the subresource `proxy` of a pod, a service or a node goes. */
import type { Endpoints, Pod, Service } from '../../api/gen/types/core-v1.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { badRequest, serviceUnavailable } from '../../machinery/status.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { FindAgent } from './agent-address.ts';
import type { Target } from './node-transport.ts';
import { podOf } from './pods.ts';
import { checkProxyable, resolveProxyable } from './proxyable-address.ts';

export type FindTarget = (served: ServedResource, request: ApiRequest) => Promise<Target>;

interface NamedPort {
  readonly peer: 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

/** `name`, `name:port` or `scheme:name:port`; throws for what is none. */
export function namedPort(text: string, kind: 'pod' | 'service' | 'node'): NamedPort {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] =
    parts.length === 3 ? parts : parts.length <= 2 ? ['', ...parts] : ['', '', ''];
  if (name === '' || !['', 'http', 'https'].includes(scheme))
    throw badRequest(`invalid ${kind} request ${goQuote(text)}`);
  return { peer: scheme === 'https' ? 'https' : 'http', name, port };
}

/** Without a port it is the first one of the pod's containers. */
export const podTarget: FindTarget = async (served, request) => {
  const { peer, name, port } = namedPort(request.info.name, 'pod');
  const { spec, status } = await podOf(served, request, name);
  const first = spec.containers?.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
  const host = status.podIPs?.[0]?.ip ?? status.podIP ?? '';
  checkProxyable(host);
  return { peer, address: { host, port: numberOf(port, first, peer) } };
};

function numberOf(port: string, first: number | undefined, peer: 'http' | 'https'): number {
  if (port === '') return first ?? (peer === 'https' ? 443 : 80);
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65535)
    throw serviceUnavailable(`error trying to reach service: dial tcp: lookup tcp/${port}: unknown port`);
  return number;
}

/** A ready endpoint of the service, chosen at random among those that are pods with that address. */
export function createServiceTarget(
  registry: Pick<RegistryCatalog, 'storeOf'>,
  random: () => number = Math.random,
): FindTarget {
  return async (served, { info: { namespace, name: id } }) => {
    const { peer, name, port } = namedPort(id, 'service');
    const store = served.store!;
    const service = store.decode(await store.get(namespace, name, { match: 'mostRecent' })) as Service;
    const portName = portNameOf(service, port);
    const stored = await registry.storeOf('', 'endpoints')!.find(namespace, name, { match: 'mostRecent' });
    const endpoints =
      stored === undefined ? undefined : (registry.storeOf('', 'endpoints')!.decode(stored) as Endpoints);
    for (const { addresses = [], ports = [] } of inRandomOrder(endpoints?.subsets ?? [], random)) {
      const number = ports.find((candidate) => (candidate.name ?? '') === portName)?.port;
      if (number === undefined) continue;
      for (const { ip = '', targetRef } of inRandomOrder(addresses, random)) {
        if (targetRef?.namespace !== namespace) continue;
        if (await isAddressOfPod(registry, namespace, targetRef.name ?? '', ip))
          return { peer, address: { host: ip, port: number } };
      }
    }
    throw serviceUnavailable(`no endpoints available for service ${goQuote(id)}`);
  };
}

/** A number stands for the name of the service's port with that number. */
function portNameOf({ spec, metadata }: Service, port: string): string {
  if (!/^\d+$/.test(port)) return port;
  const found = spec.ports?.find((candidate) => candidate.port === Number(port));
  if (found === undefined)
    throw serviceUnavailable(`no service port ${port} found for service ${goQuote(metadata.name ?? '')}`);
  return found.name ?? '';
}

/** All of them, from a random one on. */
function inRandomOrder<T>(all: readonly T[], random: () => number): readonly T[] {
  const first = Math.floor(random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}

async function isAddressOfPod(
  registry: Pick<RegistryCatalog, 'storeOf'>,
  namespace: string,
  name: string,
  ip: string,
): Promise<boolean> {
  const store = registry.storeOf('', 'pods')!;
  const stored = await store.find(namespace, name, { match: 'mostRecent' });
  if (stored === undefined) return false;
  const { status } = store.decode(stored) as Pod;
  return (status.podIPs ?? []).some((podIp) => podIp.ip === ip);
}

/** The agent of the node, with this server's certificate; another port of the node without it. */
export const createNodeTarget =
  (findAgent: FindAgent): FindTarget =>
  async (_served, { info }) => {
    const { peer, name, port } = namedPort(info.name, 'node');
    const agent = await findAgent(name, info);
    if (port === '' || Number(port) === agent.port) return { peer: 'agent', address: agent };
    return { peer, address: { host: await resolveProxyable(agent.host), port: numberOf(port, undefined, peer) } };
  };
