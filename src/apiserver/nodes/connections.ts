/**
 * Subresources that lead to a node, a pod or a service: logs, exec, attach, port-forward, proxy.
 *
 * @NOTE differs from upstream: of these, only logs reach the node yet; where upstream would connect, the answer is 503.
 */
import type { Endpoints } from '../../api/gen/types/core-v1.ts';
import { badRequest, serviceUnavailable } from '../../machinery/status.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ConnectHandler } from '../served/served-resource.ts';
import { createFindAgent, type FindAgent } from './agent-address.ts';
import { dialNode } from './dial-node.ts';
import type { NodeMetrics } from './metrics.ts';
import { NodeTransport, type NodeTransportOptions } from './node-transport.ts';
import { createReadLog } from './pod-log.ts';
import { containerOf, podOf } from './pods.ts';

export interface NodesConfig extends Omit<NodeTransportOptions, 'dial'> {
  /** `--nodeagent-preferred-address-types`: which address of a node to use, best first. */
  readonly preferredAddressTypes: readonly string[];
  /** `--nodeagent-port`: where the agent of a node listens that does not say where. */
  readonly defaultPort: number;
}

export interface NodeConnectionsOptions {
  readonly config: NodesConfig;
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metrics: NodeMetrics;
}

export interface NodeConnections {
  /** Handlers by `resource/subresource`. */
  readonly handlers: ReadonlyMap<string, ConnectHandler>;
  /** Ends all connections, with what is under way on them. */
  close(): void;
}

export function createNodeConnections({
  config,
  registry,
  featureEnabled,
  metrics,
}: NodeConnectionsOptions): NodeConnections {
  const transport = new NodeTransport({ ...config, dial: dialNode });
  const findAgent = createFindAgent({ ...config, registry });
  const readLog = createReadLog({
    findAgent,
    transport,
    canSelectStream: featureEnabled('PodLogsQuerySplitStreams'),
    observer: metrics.logs,
  });
  const streams =
    (readContainer: boolean): ConnectHandler =>
    async (served, request) => {
      const pod = await podOf(served, request);
      if (readContainer) containerOf(pod, request.query.get('container') ?? '');
      if ((pod.spec.nodeName ?? '') === '') throw badRequest(`pod ${pod.metadata.name!} does not have a host assigned`);
      await findAgent(pod.spec.nodeName!, request.info);
      if (request.exchange.upgrade === undefined) throw badRequest('Upgrade request required');
      throw noWayTo(pod.spec.nodeName!);
    };
  const handlers = new Map<string, ConnectHandler>([
    ['pods/log', readLog],
    ['pods/exec', streams(true)],
    ['pods/attach', streams(true)],
    ['pods/portforward', streams(false)],
    [
      'pods/proxy',
      async (served, request) => {
        const pod = await podOf(served, request, bareName(request.info.name));
        if ((pod.status.podIP ?? '') === '') throw badRequest('address not allowed');
        return unreachable(findAgent, request, pod.spec.nodeName ?? '');
      },
    ],
    ['nodes/proxy', (_served, request) => unreachable(findAgent, request, bareName(request.info.name))],
    [
      'services/proxy',
      async (served, request) => {
        const { namespace, name } = request.info;
        await served.store!.get(namespace, bareName(name), { match: 'mostRecent' });
        if (await hasEndpoints(registry, namespace, bareName(name)))
          throw serviceUnavailable(
            `no connection to service ${JSON.stringify(name)}: this server has no way to pods yet`,
          );
        throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
      },
    ],
  ]);
  return { handlers, close: () => transport.close() };
}

/** `https:name:port` */
const bareName = (text: string): string => {
  const parts = text.split(':');
  return parts.length === 3 ? parts[1]! : parts[0]!;
};

async function hasEndpoints(
  registry: Pick<RegistryCatalog, 'storeOf'>,
  namespace: string,
  name: string,
): Promise<boolean> {
  const store = registry.storeOf('', 'endpoints')!;
  const stored = await store.find(namespace, name, { match: 'mostRecent' });
  return (
    stored !== undefined &&
    (store.decode(stored) as Endpoints).subsets?.some(({ addresses = [] }) => addresses.length > 0) === true
  );
}

/** The node must be there at least; throws 404 or 503. */
async function unreachable(findAgent: FindAgent, { info }: ApiRequest, node: string): Promise<never> {
  await findAgent(node, info);
  throw noWayTo(node);
}

const noWayTo = (node: string): Error =>
  serviceUnavailable(`no connection to node ${JSON.stringify(node)}: this server has no way to its nodes yet`);
