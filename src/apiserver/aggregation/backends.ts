/** The servers behind APIServices: where they are, how they are known, and the connections to them. */
import type { Readable } from 'node:stream';
import type { Dialer } from '../../base/dialer.ts';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import { type BackendResponse, type Upgraded } from './backend-session.ts';
import { BackendConnections, type BackendIdentity } from './backend-connections.ts';
import type { Headers } from './forwarded-headers.ts';
import type { RemoteApi } from './remote-api.ts';
import { type Address, authorityOf, serverNameOf } from '../webhooks/service-resolver.ts';

/** PEM; the files behind them may be replaced. */
export interface ClientPair {
  readonly certificate: ReloadableText;
  readonly key: ReloadableText;
}

export interface BackendCall {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body?: Readable;
  readonly signal: AbortSignal;
}

export class Backends {
  readonly #client: ClientPair | undefined;
  readonly #isPair: (certificate: string, key: string) => boolean;
  readonly #connections = new Map<string, BackendConnections>();
  readonly #stops: (() => void)[];
  readonly #dial: Dialer | undefined;
  #pair: BackendIdentity['client'];

  /**
   * @param isPair whether a certificate and a key belong together: between the changes of two files they do not
   * @param dial where connections do not go straight to their address
   */
  constructor(
    client: ClientPair | undefined,
    isPair: (certificate: string, key: string) => boolean,
    dial?: Dialer | undefined,
  ) {
    this.#dial = dial;
    this.#client = client;
    this.#isPair = isPair;
    this.#readPair();
    const renew = (): void => {
      if (this.#readPair()) this.#retireAll();
    };
    this.#stops = client === undefined ? [] : [client.certificate, client.key].map((text) => text.onChange(renew));
  }

  /** Rejects when the certificate of the server is not valid for it. */
  send({ service, ca, skipVerify }: RemoteApi, address: Address, call: BackendCall): Promise<BackendResponse> {
    return this.#connectionsOf({ serverName: serverNameOf(service), ca, skipVerify, client: this.#pair }).send(
      address,
      { body: undefined, ...call },
    );
  }

  /** The same for a request whose connection may change its protocol. */
  upgrade(
    { service, ca, skipVerify }: RemoteApi,
    address: Address,
    call: BackendCall,
  ): Promise<BackendResponse | Upgraded> {
    return this.#connectionsOf({ serverName: serverNameOf(service), ca, skipVerify, client: this.#pair }).upgrade(
      address,
      { body: undefined, ...call },
    );
  }

  /** The same without verifying the certificate: for availability checks, which carry no secret. */
  check({ service }: RemoteApi, address: Address, call: BackendCall): Promise<BackendResponse> {
    return this.#connectionsOf({
      serverName: serverNameOf(service),
      ca: undefined,
      skipVerify: true,
      client: this.#pair,
    }).send(address, { body: undefined, ...call });
  }

  /** Lets go of connections that no API needs any more. */
  keepOnly(apis: Iterable<RemoteApi>): void {
    const used = new Set(
      [...apis].flatMap(({ service, ca, skipVerify }) => [
        keyOf(serverNameOf(service), ca, skipVerify),
        keyOf(serverNameOf(service), undefined, true),
      ]),
    );
    for (const [key, connections] of this.#connections) {
      if (used.has(key)) continue;
      this.#connections.delete(key);
      connections.retire();
    }
  }

  close(): void {
    this.#stops.forEach((stop) => stop());
    for (const connections of this.#connections.values()) connections.destroy();
  }

  #connectionsOf(identity: BackendIdentity): BackendConnections {
    const key = keyOf(identity.serverName, identity.ca, identity.skipVerify);
    let connections = this.#connections.get(key);
    if (connections === undefined)
      this.#connections.set(key, (connections = new BackendConnections(identity, this.#dial)));
    return connections;
  }

  #readPair(): boolean {
    if (this.#client === undefined) return false;
    const [certificate, key] = [this.#client.certificate.get(), this.#client.key.get()];
    if (!this.#isPair(certificate, key)) return false;
    this.#pair = { certificate, key };
    return true;
  }

  #retireAll(): void {
    for (const connections of this.#connections.values()) connections.retire();
    this.#connections.clear();
  }
}

const keyOf = (serverName: string, ca: string | undefined, skipVerify: boolean): string =>
  JSON.stringify([serverName, ca ?? '', skipVerify]);

export const urlOf = (address: Address, path: string): string => `https://${authorityOf(address)}${path}`;
