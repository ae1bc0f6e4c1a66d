/**
 * `pods/exec`, `pods/attach` and `pods/portforward`: the client's connection and one to the node agent, which speak the
 * same protocol or are translated. What is said on them is not looked at where they speak the same.
 */
import type { KubeObject } from '../../machinery/object-meta.ts';
import { badRequest } from '../../machinery/status.ts';
import { isWebSocketRequest, offeredProtocols } from '../../auth/authentication/web-socket-request.ts';
import type { PodAttachOptions, PodExecOptions, PodPortForwardOptions } from '../../api/gen/types/core-v1.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ForwardingOptions } from '../aggregation/forwarded-headers.ts';
import type { BackendRequest, BackendResponse, Upgraded } from '../aggregation/backend-session.ts';
import type { ApiRequest } from '../request/request.ts';
import { refusedHandshake } from '../request/web-socket-opening.ts';
import type { ConnectHandler } from '../served/served-resource.ts';
import type { FindAgent } from './agent-address.ts';
import { clientErrorText } from './connection-errors.ts';
import type { NodeMetrics } from './metrics.ts';
import { commandProtocols } from './node-command.ts';
import type { NodeTransport, Target } from './node-transport.ts';
import { containerOf, podOf } from './pods.ts';
import { upgradedAnswer } from './relay-upgraded.ts';
import { relayedHeaders, wishFor } from './relayed-headers.ts';
import { spdyWish } from './spdy-upgrade.ts';
import { dialFailed } from './stream-errors.ts';
import type { Throttling } from './throttle.ts';
import { translateCommand, translatedProtocol } from './translate-command.ts';
import { tunnelPorts, wantsTunnel } from './tunnel-ports.ts';

export interface PodStreamOptions {
  readonly findAgent: FindAgent;
  readonly transport: Pick<NodeTransport, 'upgrade'>;
  readonly forwarding: ForwardingOptions;
  readonly throttling: Throttling;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metrics: NodeMetrics;
}

/** Where the node agent serves the streams. */
interface Location {
  readonly target: Target;
  /** Path and query. */
  readonly path: string;
}

export function createCommand(verb: 'exec' | 'attach', options: PodStreamOptions): ConnectHandler {
  return async (served, request, wished) => {
    const wish = wished as KubeObject & PodExecOptions & PodAttachOptions;
    const pod = await podOf(served, request);
    const container = containerOf(pod, wish.container ?? '');
    const query = commandQuery(wish);
    const location = await locate(
      request,
      pod.spec.nodeName,
      `/${verb}/${pathOf(request)}/${container}${query}`,
      options,
    );
    const isTranslated =
      isWebSocketRequest(request) &&
      offeredProtocols(request).includes(translatedProtocol) &&
      options.featureEnabled('TranslateStreamCloseWebsocketRequests');
    if (!isTranslated) return relay(request, location, options);
    const observe = options.metrics.translated;
    const refused = refusedHandshake(request);
    if (refused !== undefined) {
      observe(400);
      return refused;
    }
    const { stdin = false, stdout = false, stderr = false, tty = false } = wish;
    return translateCommand({
      wish: { stdin, stdout, stderr, tty },
      open: (signal) => openSpdy(location, signal, options),
      throttling: options.throttling,
      observe,
    });
  };
}

export function createPortForward(options: PodStreamOptions): ConnectHandler {
  return async (served, request, wished) => {
    const { ports = [] } = wished as KubeObject & PodPortForwardOptions;
    const pod = await podOf(served, request);
    const query = ports.length === 0 ? '' : `?${new URLSearchParams({ port: ports.join(',') }).toString()}`;
    const location = await locate(request, pod.spec.nodeName, `/portForward/${pathOf(request)}${query}`, options);
    const isTunnelled =
      isWebSocketRequest(request) && wantsTunnel(request) && options.featureEnabled('PortForwardWebsockets');
    if (!isTunnelled) return relay(request, location, options);
    const { throttling, metrics } = options;
    return tunnelPorts(request, {
      open: (protocols) => openTunnel(request, location, protocols, options),
      throttling,
      observe: metrics.tunnelled,
    });
  };
}

const pathOf = ({ info }: ApiRequest): string => `${info.namespace}/${info.name}`;

/** In the words of node agents, sorted by name. */
function commandQuery({ stdin, stdout, stderr, tty, command = [] }: PodExecOptions): string {
  const query = new URLSearchParams(command.map((argument): [string, string] => ['command', argument]));
  for (const [name, isOn] of Object.entries({ error: stderr, input: stdin, output: stdout, tty }))
    if (isOn === true) query.set(name, '1');
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

async function locate(
  { info, exchange }: ApiRequest,
  nodeName: string | undefined,
  path: string,
  { findAgent }: PodStreamOptions,
): Promise<Location> {
  if ((nodeName ?? '') === '') throw badRequest(`pod ${info.name} does not have a host assigned`);
  const address = await findAgent(nodeName!, info);
  if (exchange.upgrade === undefined || exchange.canChangeProtocol !== true)
    throw badRequest('Upgrade request required');
  return { target: { peer: 'agent', address }, path };
}

/** The request goes on as it is. */
async function relay(request: ApiRequest, { target, path }: Location, options: PodStreamOptions): Promise<ApiResponse> {
  const { exchange, method, signal } = request;
  const headers = new Map([
    ...relayedHeaders(exchange, options.forwarding),
    ...wishFor(exchange.headerValues('upgrade')),
  ]);
  const call: BackendRequest = { method, target: path, headers, body: undefined, signal };
  const answer = await options.transport.upgrade(target, call).catch(dialFailed);
  return upgradedAnswer(answer, options.throttling);
}

/** As the client's request, but for the protocol. */
function openTunnel(
  { exchange, signal }: ApiRequest,
  { target, path }: Location,
  protocols: readonly string[],
  { transport, forwarding }: PodStreamOptions,
): Promise<BackendResponse | Upgraded> {
  const passed = [...relayedHeaders(exchange, forwarding)].filter(([name]) => !name.startsWith('sec-websocket-'));
  const headers = new Map([...passed, ...spdyWish(protocols)]);
  const call: BackendRequest = { method: 'POST', target: path, headers, body: undefined, signal };
  return transport.upgrade(target, call).catch(dialFailed);
}

/** A request of the server's own. */
async function openSpdy(
  { target, path }: Location,
  signal: AbortSignal,
  { transport }: PodStreamOptions,
): Promise<BackendResponse | Upgraded> {
  const headers = new Map([['user-agent', ['orch']], ...spdyWish(commandProtocols)]);
  const call: BackendRequest = { method: 'POST', target: path, headers, body: undefined, signal };
  const answer = await transport.upgrade(target, call).catch((error: Error) => {
    throw new Error(`error sending request: ${clientErrorText('Post', target.address, path, error)}`, { cause: error });
  });
  const elsewhere = answer.headers.get('location')?.[0];
  if (!('body' in answer) || elsewhere === undefined || answer.status < 300 || answer.status > 399) return answer;
  answer.body.destroy();
  const refused = new Error('redirect not allowed');
  throw new Error(`error sending request: ${clientErrorText('Post', target.address, elsewhere, refused)}`);
}
