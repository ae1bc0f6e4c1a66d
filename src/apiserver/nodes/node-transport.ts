/**
 * Requests to nodes, pods and endpoints of services, over HTTP/1.1. Connections that can be used again are kept for a
 * short time; one that changes its protocol is its own.
 *
 * Nothing is buffered here but what the sockets hold, and no redirect is followed.
 */
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import { sendHttp1, sendUpgrade } from '../aggregation/backend-exchanges.ts';
import {
  type BackendRequest,
  type BackendResponse,
  BrokenConnection,
  type Upgraded,
} from '../aggregation/backend-session.ts';
import type { ClientPair } from '../aggregation/backends.ts';
import type { Address } from '../webhooks/service-resolver.ts';
import { NodeConnectionError } from './connection-errors.ts';
import { checkServerIdentity } from '../../pki/server-identity.ts';
import type { DialNode } from './dial-node.ts';

/**
 * How the other side is spoken to and known.
 *
 * - `agent`: a node agent: this server shows its certificate, and verifies the other one where it has authorities.
 * - `unverifiedAgent`: the same without verifying.
 * - `https`: a pod or another port of a node: encrypted, no side is known.
 * - `http`: neither.
 */
export type Peer = 'agent' | 'unverifiedAgent' | 'https' | 'http';

export interface Target {
  readonly peer: Peer;
  readonly address: Address;
}

export interface NodeTransportOptions {
  /** Authorities of the certificates of node agents, in PEM; without them, none is verified. */
  readonly authorities: ReloadableText | undefined;
  /** What this server shows node agents. */
  readonly client: ClientPair | undefined;
  /**
   * `--nodeagent-timeout`: how long it may take until a connection is there and its handshake is done.
   *
   * @NOTE differs from upstream, which has no use for the flag.
   */
  readonly timeoutMs: number;
  readonly dial: DialNode;
}

const idleTimeoutMs = 90_000;
const maxIdleSockets = 25;

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

export class NodeTransport {
  readonly #options: NodeTransportOptions;
  #agents = new Map<Peer, http.Agent>();
  readonly #upgraded = new Set<net.Socket>();
  readonly #stops: (() => void)[];

  constructor(options: NodeTransportOptions) {
    this.#options = options;
    const { authorities, client } = options;
    const texts = [authorities, client?.certificate, client?.key].filter((text) => text !== undefined);
    this.#stops = texts.map((text) => text.onChange(() => this.#renew()));
  }

  /** Resolves when the answer begins; rejects with a {@link NodeConnectionError} or with the reason of the signal. */
  async send({ peer, address }: Target, request: BackendRequest): Promise<BackendResponse> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendHttp1({ agent: this.#agentOf(peer) }, address, request);
      } catch (error) {
        request.signal.throwIfAborted();
        const isStale =
          error instanceof BrokenConnection &&
          error.wasUsed &&
          request.body === undefined &&
          repeatable.has(request.method);
        if (!isStale || attempt > 0)
          throw new NodeConnectionError(error instanceof BrokenConnection ? error.cause : error, address);
      }
    }
  }

  /** Like `send`, on a connection of its own that speaks what the other side agrees to. */
  async upgrade({ peer, address }: Target, request: BackendRequest): Promise<BackendResponse | Upgraded> {
    try {
      const socket = await this.#open(peer, address, request.signal);
      this.#upgraded.add(socket);
      socket.once('close', () => this.#upgraded.delete(socket));
      return await sendUpgrade(socket, address, request);
    } catch (error) {
      request.signal.throwIfAborted();
      throw new NodeConnectionError(error, address);
    }
  }

  /** Ends all connections, with what is under way on them. */
  close(): void {
    this.#stops.forEach((stop) => stop());
    for (const agent of this.#agents.values()) agent.destroy();
    for (const socket of this.#upgraded) socket.destroy();
  }

  /** New connections show and accept what the files have now; others end when they are not used any more. */
  #renew(): void {
    const old = [...this.#agents.values()];
    this.#agents = new Map();
    for (const agent of old) {
      agent.maxFreeSockets = 0;
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
  }

  #agentOf(peer: Peer): http.Agent {
    let agent = this.#agents.get(peer);
    if (agent !== undefined) return agent;
    agent = new http.Agent({ keepAlive: true, maxFreeSockets: maxIdleSockets, timeout: idleTimeoutMs });
    Object.assign(agent, {
      createConnection: (
        { host = '', port }: { readonly host?: string; readonly port: number },
        done: (error: Error | null, socket?: net.Socket) => void,
      ): void => {
        // A request that is given up meanwhile leaves the connection to others.
        this.#open(peer, { host, port: Number(port) }).then(
          (socket) => done(null, socket),
          (error: Error) => done(error),
        );
      },
    });
    this.#agents.set(peer, agent);
    return agent;
  }

  async #open(peer: Peer, address: Address, signal?: AbortSignal): Promise<net.Socket> {
    const { dial, timeoutMs } = this.#options;
    const tooLate = new AbortController();
    const timer = setTimeout(() => tooLate.abort(timedOut()), timeoutMs);
    try {
      const either = signal === undefined ? tooLate.signal : AbortSignal.any([signal, tooLate.signal]);
      const plain = await dial(address, either);
      return peer === 'http' ? plain : await secured(plain, this.#tlsOptions(peer, address), either);
    } finally {
      clearTimeout(timer);
    }
  }

  #tlsOptions(peer: Peer, { host }: Address): tls.ConnectionOptions {
    const { authorities, client } = this.#options;
    // A name that is an address is not sent (RFC 6066 section 3), but it is what the certificate must be for.
    const common = {
      host,
      checkServerIdentity,
      ALPNProtocols: ['http/1.1'],
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
    };
    if (peer === 'https') return { ...common, rejectUnauthorized: false };
    return {
      ...common,
      ...(client === undefined ? {} : { cert: client.certificate.get(), key: client.key.get() }),
      ...(authorities === undefined || peer === 'unverifiedAgent'
        ? { rejectUnauthorized: false }
        : { rejectUnauthorized: true, ca: authorities.get() }),
    };
  }
}

const timedOut = (): Error => Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' });

/** Rejects, with the socket destroyed, when the handshake fails or the signal comes before. */
function secured(plain: net.Socket, options: tls.ConnectionOptions, signal: AbortSignal): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ ...options, socket: plain });
    const abort = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const ended = (): void => reject(Object.assign(new Error('EOF'), { code: 'ECONNRESET' }));
    socket.once('error', reject).once('close', ended);
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', reject).off('close', ended);
      resolve(socket);
    });
  });
}
