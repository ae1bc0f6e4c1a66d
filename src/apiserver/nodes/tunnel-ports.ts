/**
 * Port-forward for a client whose WebSocket carries SPDY/3.1: the node agent is asked for SPDY, and its bytes are the
 * content of messages, whose borders mean nothing.
 * @see KEP-4006, Transition from SPDY to WebSockets
 */
import { offeredProtocols } from '../../auth/authentication/web-socket-request.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import { answerHeaders } from '../aggregation/forwarded-headers.ts';
import type { BackendResponse, Upgraded } from '../aggregation/backend-session.ts';
import type { ApiRequest } from '../request/request.ts';
import { refusedHandshake } from '../request/web-socket-opening.ts';
import type { ObserveStream } from './metrics.ts';
import { refusedUpgrade, relayed } from './relay-upgraded.ts';
import { isSpdy } from './spdy-upgrade.ts';
import type { Throttling } from './throttle.ts';

const prefix = 'SPDY/3.1+';
const suffix = '.k8s.io';

/** Whether the client asks for a tunnel, whatever for. */
export const wantsTunnel = (request: ApiRequest): boolean =>
  offeredProtocols(request).some((protocol) => protocol.startsWith(prefix));

export interface TunnelOptions {
  /** Asks the node agent for SPDY with one of these protocols. */
  readonly open: (protocols: readonly string[]) => Promise<BackendResponse | Upgraded>;
  readonly throttling: Throttling;
  readonly observe: ObserveStream;
}

export async function tunnelPorts(
  request: ApiRequest,
  { open, throttling, observe }: TunnelOptions,
): Promise<ApiResponse> {
  const offered = offeredProtocols(request).filter((name) => name.startsWith(prefix) && name.endsWith(suffix));
  const answer = await ask();
  observe(answer.status);
  return answer;

  async function ask(): Promise<ApiResponse> {
    if (offered.length === 0) return asText(400, 'unable to upgrade: no tunneling spdy protocols provided');
    const refused = refusedHandshake(request);
    if (refused !== undefined) return refused;
    const node = await open(offered.map((name) => name.slice(prefix.length)));
    if ('body' in node) return refusedUpgrade(node, answerHeaders(node.headers));
    if (!isSpdy(node.headers)) {
      node.connection.destroy();
      return asText(500, 'unable to upgrade: missing upgrade headers in response');
    }
    const protocol = `${prefix}${(node.headers.get('x-stream-protocol-version')?.[0] ?? '').trim()}`;
    const { input, stream } = relayed(node.connection, throttling);
    return {
      status: 101,
      headers: {},
      webSocket: { protocol: offered.includes(protocol) ? protocol : undefined, isText: false, input },
      stream,
    };
  }
}

const asText = (status: number, text: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: `${text}\n`,
});
