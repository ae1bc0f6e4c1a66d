/**
 * Connections to the servers behind one TLS identity: HTTP/2 where the other side speaks it, else HTTP/1.1, kept for
 * the next request and opened anew when they break.
 *
 * Node's own clients, because a proxy must hand on repeated headers as they are: undici joins them over HTTP/2, which
 * makes one group of two (docs/dependencies.md, with figures). Nothing is buffered here but what the flow control of
 * the protocols lets through.
 */
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import type { Dialer } from '../../base/dialer.ts';
import { abortable } from '../../base/abortable.ts';
import { type Address, authorityOf } from '../webhooks/service-resolver.ts';
import { ask, sendHttp2, sendHttp1, sendUpgrade } from './backend-exchanges.ts';
import {
  BrokenConnection,
  type BackendRequest,
  type BackendResponse,
  type Upgraded,
  type Session,
  type Place,
} from './backend-session.ts';

export interface BackendIdentity {
  /** What the certificate of the other side is for, and what it is asked for. */
  readonly serverName: string;
  /** PEM; the authorities of the system when absent. */
  readonly ca: string | undefined;
  readonly skipVerify: boolean;
  /** PEM: how this server proves itself. */
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
}

const connectTimeoutMs = 30_000;

const handshakeTimeoutMs = 10_000;

/** A connection that is not there by then may have met an endpoint that is dead: another one is tried beside it. */
const impatienceMs = 300;

const maxDials = 4;

const idleTimeoutMs = 90_000;

const maxIdleSockets = 25;

/** A connection that is quiet for so long is asked whether it still lives, and given up when it does not answer. */
const quietMs = 30_000;

/**
 * The windows of all streams of a connection fit into the connection's window, so that one that is not read does not
 * delay the others.
 */
const streamWindow = 128 * 1024;

const maxStreams = 100;

const connectionWindow = 16 * 1024 * 1024;

/** Addresses of pods come and go: those that nothing is open to are forgotten when there are more. */
const maxPlaces = 64;

export class BackendConnections {
  readonly #identity: BackendIdentity;
  readonly #dial: Dialer | undefined;
  readonly #places = new Map<string, Place>();
  readonly #upgrades = new Set<Duplex>();
  readonly #closed = new AbortController();
  #retired = false;

  constructor(identity: BackendIdentity, dial?: Dialer) {
    this.#identity = identity;
    this.#dial = dial;
  }

  /** Resolves when the answer begins. Rejects with what went wrong on the way, or with the signal's reason. */
  async send(address: Address, request: BackendRequest): Promise<BackendResponse> {
    for (let attempt = 0; ; attempt++) {
      const place = this.#placeOf(address);
      try {
        return await this.#attempt(place, address, request);
      } catch (error) {
        request.signal.throwIfAborted();
        if (!(error instanceof BrokenConnection)) throw error;
        if (attempt > 0 || !mayRepeat(request, error)) throw error.cause;
      }
    }
  }

  /** Like `send`, on a connection of its own that speaks HTTP/1.1, and whatever the other side agrees to then. */
  async upgrade(address: Address, request: BackendRequest): Promise<BackendResponse | Upgraded> {
    const opening = this.#open(address, ['http/1.1']);
    const socket = await abortable(opening, request.signal).catch((error: unknown) => {
      opening.then(
        (late) => late.destroy(),
        () => undefined,
      );
      throw error;
    });
    this.#upgrades.add(socket);
    socket.once('close', () => this.#upgrades.delete(socket));
    return sendUpgrade(socket, address, request);
  }

  /** Requests that are under way end as they may; nothing is kept for others. */
  retire(): void {
    this.#retired = true;
    for (const { sessions, agent, spare } of this.#places.values()) {
      for (const { session } of sessions) session.close();
      agent.maxFreeSockets = 0;
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
      spare?.destroy();
    }
  }

  destroy(): void {
    this.#retired = true;
    this.#closed.abort(new Error('the server is stopping'));
    for (const socket of this.#upgrades) socket.destroy();
    for (const { sessions, agent, spare } of this.#places.values()) {
      for (const { session } of sessions) session.destroy();
      agent.destroy();
      spare?.destroy();
    }
  }

  async #attempt(place: Place, address: Address, request: BackendRequest): Promise<BackendResponse> {
    for (;;) {
      if (place.protocol === 'http/1.1') return sendHttp1(place, address, request);
      const session = freeSession(place);
      if (session !== undefined) return sendHttp2(session, authorityOf(address), request);
      await abortable(this.#connected(place, address), request.signal);
    }
  }

  /** Waits for a connection, or until it is worth a look whether there is one. */
  async #connected(place: Place, address: Address): Promise<void> {
    if (place.dials.size === 0) this.#startDial(place, address);
    const slow = new AbortController();
    const opened = Promise.any(place.dials).then(
      () => 'opened',
      (error: AggregateError) => Promise.reject(error.errors[0] as Error),
    );
    const outcome = await Promise.race([
      opened,
      pause(impatienceMs, 'slow', { signal: slow.signal, ref: false }).catch(() => 'slow'),
    ]).finally(() => slow.abort());
    if (outcome === 'slow' && place.dials.size < maxDials) this.#startDial(place, address);
  }

  #startDial(place: Place, address: Address): void {
    const dial = this.#connect(place, address).finally(() => place.dials.delete(dial));
    dial.catch(() => undefined);
    place.dials.add(dial);
  }

  #placeOf(address: Address): Place {
    const key = authorityOf(address);
    let place = this.#places.get(key);
    if (place === undefined) {
      if (this.#places.size >= maxPlaces) this.#forgetUnused();
      this.#places.set(key, (place = this.#createPlace(address)));
    }
    return place;
  }

  #forgetUnused(): void {
    for (const [key, { dials, sessions, agent, spare }] of this.#places) {
      const isOpen = dials.size > 0 || sessions.size > 0 || spare?.destroyed === false;
      if (!isOpen && Object.keys(agent.sockets).length === 0 && Object.keys(agent.freeSockets).length === 0)
        this.#places.delete(key);
    }
  }

  #createPlace(address: Address): Place {
    const agent = new http.Agent({
      keepAlive: true,
      maxFreeSockets: this.#retired ? 0 : maxIdleSockets,
      timeout: idleTimeoutMs,
    });
    const place: Place = { protocol: undefined, dials: new Set(), sessions: new Set(), agent, spare: undefined };
    Object.assign(agent, {
      createConnection: (_: unknown, done: (error: Error | null, socket?: tls.TLSSocket) => void): void => {
        const { spare } = place;
        place.spare = undefined;
        if (spare !== undefined && !spare.destroyed) {
          spare.setTimeout(0).removeAllListeners('timeout');
          return done(null, spare);
        }
        this.#open(address, ['http/1.1']).then(
          (socket) => done(null, socket),
          (error: Error) => {
            // It may speak something else when it is back.
            place.protocol = undefined;
            done(error);
          },
        );
      },
    });
    return place;
  }

  async #connect(place: Place, address: Address): Promise<void> {
    const socket = await this.#open(address, ['h2', 'http/1.1']);
    if (socket.alpnProtocol === 'h2') this.#addSession(place, socket, authorityOf(address));
    else if (place.spare?.destroyed === false) socket.destroy();
    else {
      place.spare = socket;
      // Its client may have gone.
      socket.setTimeout(idleTimeoutMs, () => socket.destroy());
      socket.once('error', () => socket.destroy());
    }
    place.protocol = socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1';
  }

  #addSession(place: Place, socket: tls.TLSSocket, authority: string): void {
    const session = http2.connect(`https://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
    });
    const entry: Session = { session, streams: 0, leaving: false, used: false };
    place.sessions.add(entry);
    session.once('connect', () => session.setLocalWindowSize(connectionWindow));
    session.on('error', () => undefined);
    session.on('goaway', () => void (entry.leaving = true));
    session.once('close', () => place.sessions.delete(entry));
    session.setTimeout(quietMs, () => ask(entry));
  }

  async #open(address: Address, protocols: string[]): Promise<tls.TLSSocket> {
    const { serverName, ca, skipVerify, client } = this.#identity;
    const plain = (await this.#dial?.(address, this.#closed.signal)) ?? (await connectTcp(address));
    const socket = tls.connect({
      socket: plain,
      servername: serverName,
      ALPNProtocols: protocols,
      rejectUnauthorized: !skipVerify,
      checkServerIdentity,
      ...(ca === undefined ? {} : { ca }),
      ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
    });
    await happened(socket, 'secureConnect', handshakeTimeoutMs);
    return socket;
  }
}

async function connectTcp({ host, port }: Address): Promise<net.Socket> {
  const socket = net.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: quietMs });
  await happened(socket, 'connect', connectTimeoutMs);
  return socket;
}

/** Rejects, with the socket destroyed, when it fails or ends before, or does not come to it in time. */
function happened(socket: net.Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    socket
      .once(event, resolve)
      .once('error', reject)
      .once('close', () => reject(Object.assign(new Error('EOF'), { code: 'ECONNRESET' })));
    socket.once(event, () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** The name must stand among the alternative names: a common name is none (RFC 9525 section 2). */
function checkServerIdentity(host: string, certificate: tls.PeerCertificate): Error | undefined {
  if (certificate.subjectaltname === undefined)
    return new Error(
      'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead',
    );
  const problem = tls.checkServerIdentity(host, certificate);
  if (problem === undefined) return undefined;
  const names = certificate.subjectaltname
    .split(', ')
    .flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []));
  const validity =
    names.length === 0 ? 'not valid for any names, but wanted to match' : `valid for ${names.join(', ')}, not`;
  return new Error(`tls: failed to verify certificate: x509: certificate is ${validity} ${host}`);
}

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A body has been read by then. */
const mayRepeat = ({ method, body }: BackendRequest, { wasUsed, refused }: BrokenConnection): boolean =>
  body === undefined && (refused || (wasUsed && repeatable.has(method)));

function freeSession({ sessions }: Place): Session | undefined {
  for (const entry of sessions) {
    const { session, streams, leaving } = entry;
    if (
      !leaving &&
      !session.closed &&
      !session.destroyed &&
      streams < Math.min(session.remoteSettings.maxConcurrentStreams ?? maxStreams, maxStreams)
    )
      return entry;
  }
  return undefined;
}
