/**
 * Subresources that lead to a container or a port: logs, exec, attach, port-forward, proxy. They answer what can be
 * known without the node.
 *
 * @NOTE differs from upstream: there is no way to a node yet; where upstream would connect, the answer is 503.
 */
import type { Endpoints, Pod } from '../../../api/gen/types/core-v1.ts';
import { badRequest, serviceUnavailable } from '../../../machinery/status.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { ServedResource, SubresourceEndpoint } from '../../served/served-resource.ts';

type Handler = (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

const every = (handler: Handler): SubresourceEndpoint['verbs'] => ({
  get: handler,
  create: handler,
  update: handler,
  patch: handler,
  delete: handler,
});

/** There is no going somewhere as if. */
const connecting = (handler: Handler): SubresourceEndpoint['verbs'] =>
  every((served, request) => {
    if (request.query.has('dryRun')) throw badRequest('dryRun is not supported');
    return handler(served, request);
  });

/** Handlers by `resource/subresource`, for every verb that the resource table allows. */
export function createConnections(registry: RegistryCatalog): ReadonlyMap<string, SubresourceEndpoint['verbs']> {
  const streams =
    (readContainer: boolean): Handler =>
    async (served, request) => {
      const pod = await podOf(served, request);
      if (readContainer) checkContainer(pod, request.query.get('container') ?? '');
      if ((pod.spec.nodeName ?? '') === '') throw badRequest(`pod ${pod.metadata.name!} does not have a host assigned`);
      await findNode(registry, pod.spec.nodeName!);
      if (request.exchange.upgrade === undefined) throw badRequest('Upgrade request required');
      throw noWayTo(pod.spec.nodeName!);
    };
  return new Map([
    ['pods/log', every((served, request) => readLog(registry, served, request))],
    ['pods/exec', connecting(streams(true))],
    ['pods/attach', connecting(streams(true))],
    ['pods/portforward', connecting(streams(false))],
    [
      'pods/proxy',
      connecting(async (served, request) => {
        const pod = await podOf(served, request);
        if ((pod.status.podIP ?? '') === '') throw badRequest('address not allowed');
        return unreachable(registry, pod.spec.nodeName ?? '');
      }),
    ],
    ['nodes/proxy', connecting((_served, request) => unreachable(registry, request.info.name))],
    [
      'services/proxy',
      connecting(async (served, request) => {
        const { namespace, name } = request.info;
        await served.store!.get(namespace, bareName(name), { match: 'mostRecent' });
        if (await hasEndpoints(registry, namespace, bareName(name)))
          throw serviceUnavailable(
            `no connection to service ${JSON.stringify(name)}: this server has no way to pods yet`,
          );
        throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
      }),
    ],
  ]);
}

/** `https:name:port` */
const bareName = (text: string): string => {
  const parts = text.split(':');
  return parts.length === 3 ? parts[1]! : parts[0]!;
};

async function podOf(served: ServedResource, { info }: ApiRequest): Promise<Pod> {
  const store = served.store!;
  const name = info.subresource === 'proxy' ? bareName(info.name) : info.name;
  return store.decode(await store.get(info.namespace, name, { match: 'mostRecent' })) as Pod;
}

async function hasEndpoints(registry: RegistryCatalog, namespace: string, name: string): Promise<boolean> {
  const store = registry.storeOf('', 'endpoints')!;
  const stored = await store.find(namespace, name, { match: 'mostRecent' });
  return (
    stored !== undefined &&
    (store.decode(stored) as Endpoints).subsets?.some(({ addresses = [] }) => addresses.length > 0) === true
  );
}

/** A pod without a node has no log: the answer has no content. */
async function readLog(registry: RegistryCatalog, served: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const pod = await podOf(served, request);
  checkContainer(pod, request.query.get('container') ?? '');
  return (pod.spec.nodeName ?? '') === '' ? { status: 204, headers: {} } : unreachable(registry, pod.spec.nodeName!);
}

function checkContainer({ metadata: { name = '' }, spec }: Pod, wanted: string): void {
  const names = (spec.containers ?? []).map((container) => container.name ?? '');
  const others = [...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].map(
    (container) => container.name ?? '',
  );
  if (wanted !== '') {
    if (![...names, ...others].includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return;
  }
  if (names.length <= 1) return;
  const inits = (spec.initContainers ?? []).map((container) => container.name ?? '');
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: ` +
      `[${names.join(' ')}]${inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`}`,
  );
}

/** The node must be there at least; throws 404 or 503. */
async function unreachable(registry: RegistryCatalog, node: string): Promise<never> {
  await findNode(registry, node);
  throw noWayTo(node);
}

const findNode = (registry: RegistryCatalog, node: string): Promise<unknown> =>
  registry.storeOf('', 'nodes')!.get('', bareName(node), { match: 'mostRecent' });

const noWayTo = (node: string): Error =>
  serviceUnavailable(`no connection to node ${JSON.stringify(node)}: this server has no way to its nodes yet`);
