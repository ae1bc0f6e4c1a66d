/**
 * The clients of all webhooks of a server: those of its configuration (authentication, authorization, audit), each with
 * the one part that opened it, and those that objects of the API name (conversion, admission), shared by all objects
 * that name the same one.
 *
 * A client of the second kind goes when the last object that names it does, so that connections of replaced authorities
 * end. Beyond a number of clients, the one that was unused for longest goes; its next call opens another.
 */
import type { ServiceTarget } from '../../api/meta/webhook-client.ts';
import { defaultWebhookPort } from '../../api/meta/webhook-client.ts';
import type { Dialer } from '../../base/dialer.ts';
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from './webhook-client.ts';
import type { ServerCredentials } from '../../client/kubeconfig/server-users.ts';
import type { TransportConfig } from '../../client/transport-config.ts';
import { type HttpTransport, createTransport } from '../../client/transport.ts';
import type { CallObserver } from '../../client/call-observer.ts';
import { serverNameOf, type ServiceResolver } from './service-resolver.ts';

/** How an object of the API says where a webhook is: `WebhookClientConfig`. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: Readonly<ServiceTarget>;
  /** PEM in base64; without it the authorities of the system count. */
  readonly caBundle?: string;
}

/** What this server shows the webhooks of objects. */
export interface CredentialsSource {
  /** The same for all clients that get the same credentials. */
  readonly id: string;
  find(target: CredentialsTarget): ServerCredentials | undefined;
}

export interface CredentialsTarget {
  /** Host and port. */
  readonly server: string;
  /** What an exec plugin with `provideClusterInfo` is told: `spec.cluster` of an ExecCredential. */
  readonly cluster: Readonly<Record<string, unknown>>;
}

export type WebhookSettings = Omit<WebhookClientOptions, 'connection' | 'observer'>;

/** The part that one object of the API has in a client. */
export interface HeldWebhookClient extends Pick<WebhookClient, 'post' | 'call'> {
  /** The object names it no longer. Calls under way end as they may. */
  release(): void;
}

export interface WebhookClientsOptions {
  readonly resolve: ServiceResolver;
  /** Told of each call. */
  readonly observer: CallObserver;
  /** The ways to services of the cluster, and to everything else, where they are not straight. */
  readonly dialers?: { readonly cluster?: Dialer; readonly controlplane?: Dialer } | undefined;
  /** Most clients of objects that are kept. */
  readonly maxKept?: number;
  readonly create?: (options: WebhookClientOptions) => WebhookClient;
}

interface Kept {
  readonly client: WebhookClient;
  readonly holders: Set<object>;
}

const usualMaxKept = 200;

export class WebhookClients {
  readonly #options: WebhookClientsOptions;
  readonly #create: (options: WebhookClientOptions) => WebhookClient;
  readonly #maxKept: number;
  /** By what they are reached with; the one that was unused for longest comes first. */
  readonly #kept = new Map<string, Kept>();
  #isClosed = false;

  constructor(options: WebhookClientsOptions) {
    this.#options = options;
    this.#create = options.create ?? createWebhookClient;
    this.#maxKept = options.maxKept ?? usualMaxKept;
  }

  /** Of the server's configuration; the caller closes it. */
  open(connection: TransportConfig, settings: WebhookSettings): WebhookClient {
    return this.#open(this.#byControlPlane(connection), settings);
  }

  /** The same for a caller that repeats calls by rules of its own. */
  connect(connection: TransportConfig): HttpTransport {
    return createTransport(this.#byControlPlane(connection), this.#options.observer);
  }

  /** Of an object of the API. Nothing is opened before the first call. */
  hold(config: WebhookClientConfig, settings: WebhookSettings, credentials?: CredentialsSource): HeldWebhookClient {
    const { url, service, caBundle } = config;
    const key = JSON.stringify([url, service, caBundle, settings, credentials?.id]);
    const holder = {};
    let isReleased = false;
    const client = (): WebhookClient => {
      if (isReleased) throw new Error('the client of the webhook is closed');
      return this.#clientOf(key, holder, () => this.#open(this.#connectionOf(config, credentials), settings));
    };
    return {
      post: async (body) => client().post(body),
      call: async (body, limits) => client().call(body, limits),
      release: () => {
        isReleased = true;
        this.#release(key, holder);
      },
    };
  }

  /** Ends the clients of objects and what is under way on them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const clients = [...this.#kept.values()].map(({ client }) => client);
    this.#kept.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  #open(connection: TransportConfig, settings: WebhookSettings): WebhookClient {
    return this.#create({ ...settings, connection, observer: this.#options.observer });
  }

  #byControlPlane(connection: TransportConfig): TransportConfig {
    const dial = this.#options.dialers?.controlplane;
    return dial === undefined ? connection : { ...connection, dial };
  }

  #clientOf(key: string, holder: object, open: () => WebhookClient): WebhookClient {
    if (this.#isClosed) throw new Error('the server is stopping');
    let kept = this.#kept.get(key);
    if (kept === undefined) kept = { client: open(), holders: new Set() };
    else this.#kept.delete(key);
    if (kept.holders.size > 0 && !kept.holders.has(holder)) this.#options.observer.shared?.();
    this.#kept.set(key, kept);
    kept.holders.add(holder);
    if (this.#kept.size > this.#maxKept) this.#retire(this.#kept.keys().next().value!);
    return kept.client;
  }

  #release(key: string, holder: object): void {
    const kept = this.#kept.get(key);
    if (kept?.holders.delete(holder) === true && kept.holders.size === 0) this.#retire(key);
  }

  #retire(key: string): void {
    const { client } = this.#kept.get(key)!;
    this.#kept.delete(key);
    client.retire();
  }

  #connectionOf(
    { url, service = {}, caBundle }: WebhookClientConfig,
    credentials: CredentialsSource | undefined,
  ): TransportConfig {
    const common = {
      ca: caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString(),
      skipVerify: false,
      certificate: undefined,
      key: undefined,
      authorization: () => Promise.resolve(undefined),
    };
    if (url !== undefined) {
      const target = targetOf(serverIn(url), /^[^/]*\/\/[^/?#]*/.exec(url)?.[0] ?? url, caBundle);
      return this.#byControlPlane({ ...common, url, serverName: undefined, ...credentials?.find(target) });
    }
    const { name = '', namespace = '', path = '/', port = defaultWebhookPort } = service;
    const serverName = serverNameOf({ name, namespace });
    const server = `${serverName}:${port}`;
    return {
      ...common,
      url: `https://${server}${path.startsWith('/') ? path : `/${path}`}`,
      host: server,
      serverName,
      ...credentials?.find(targetOf(server, `https://${server}`, caBundle, serverName)),
      address: () => this.#options.resolve({ namespace, name, port }),
      dial: this.#options.dialers?.cluster,
    };
  }
}

const targetOf = (
  server: string,
  address: string,
  caBundle: string | undefined,
  serverName?: string,
): CredentialsTarget => ({
  server,
  cluster: {
    server: address,
    ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
    ...(caBundle === undefined ? {} : { 'certificate-authority-data': caBundle }),
    config: null,
  },
});

/** Host and port, the host as it is written: `URL` would change its case. */
function serverIn(url: string): string {
  const authority = authorityIn(url);
  return /:\d+$/.test(authority) ? authority : `${authority}:443`;
}

const authorityIn = (url: string): string => /^[^:]*:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? '';
