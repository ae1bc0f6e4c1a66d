/** Where the agent of a node is reached. */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { notFound, plainError } from '../../machinery/status.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Address } from '../webhooks/service-resolver.ts';

export interface AgentAddressOptions {
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  /** `--nodeagent-preferred-address-types`: best first. */
  readonly preferredAddressTypes: readonly string[];
  /** `--nodeagent-port`: of a node that does not say its own. */
  readonly defaultPort: number;
}

/**
 * Rejects with 404 where there is no such node. It is worded as if the node were of the resource that was asked for, as
 * upstream words it.
 */
export type FindAgent = (nodeName: string, info: Pick<RequestInfo, 'group' | 'resource'>) => Promise<Address>;

export function createFindAgent({ registry, preferredAddressTypes, defaultPort }: AgentAddressOptions): FindAgent {
  return async (nodeName, { group, resource }) => {
    const store = registry.storeOf('', 'nodes');
    const stored = await store?.find('', nodeName, { match: 'mostRecent' });
    if (store === undefined || stored === undefined) throw notFound({ group, resource }, nodeName);
    return agentAddress(store.decode(stored) as Node, preferredAddressTypes, defaultPort);
  };
}

/** Throws where the node has no address of a type that may be used. */
export function agentAddress(
  { status }: Pick<Node, 'status'>,
  preferredAddressTypes: readonly string[],
  defaultPort: number,
): Address {
  const { addresses = [], daemonEndpoints } = status;
  const port = daemonEndpoints.kubeletEndpoint.Port ?? 0;
  for (const type of preferredAddressTypes) {
    const found = addresses.find((address) => address.type === type);
    if (found !== undefined) return { host: found.address ?? '', port: port > 0 ? port : defaultPort };
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw plainError(`no preferred addresses found; known addresses: [${known}]`);
}
