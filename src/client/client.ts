/**
 * The client of an API server.
 *
 * ```ts
 * await using client = createClient(await loadKubeconfig());
 * const pod = await client.core.v1.pods.namespace('default').get('web-0');
 * for await (const { type, object } of client.apps.v1.deployments.watch()) ...
 * const widgets = client.dynamic({ group: 'example.com', version: 'v1', resource: 'widgets' });
 * ```
 *
 * Built-in types are sent as protobuf unless `contentType` says otherwise. All requests of a client share its
 * connections, its rate limit and its credentials.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import type { ClientConfig } from './client-config.ts';
import type { ConnectionObserver } from './connection-observer.ts';
import type { ApiGroups } from './gen/api-groups.ts';
import { type Fence, fencedTransport } from './requests/fence.ts';
import {
  createRequestLimiter,
  defaultRateLimits,
  type RateLimits,
  type RequestLimiter,
} from './requests/rate-limit.ts';
import { type ClientRequest, type PendingAnswer, type RequestObserver, Sender } from './requests/sender.ts';
import { addApiGroups } from './resources/api-groups.ts';
import { Requests } from './resources/requests.ts';
import type { DynamicResource } from './resources/typed-resources.ts';
import { ResourceClient, type ResourceTarget } from './resources/resource-client.ts';
import { createApiTransport } from './transport/api-transport.ts';
import type { Transport } from './transport/message.ts';

export interface ClientOptions extends Partial<RateLimits> {
  /** In place of `qps` and `burst`, for clients that share a limit. */
  readonly limiter?: RequestLimiter;
  /** For a request with its retries; 60 s when absent. */
  readonly timeoutMs?: number;
  /** How often one request is sent again; 10 when absent. */
  readonly maxRetries?: number;
  /** How built-in types are sent; any name of the protobuf type or `application/json`. */
  readonly contentType?: string;
  /** How they are asked for, when not as they are sent; a list of these types. */
  readonly acceptContentTypes?: string;
  /**
   * Objects come without managed fields, in every answer. An update without them leaves those of the server as they
   * are.
   */
  readonly dropManagedFields?: boolean;
  readonly userAgent?: string;
  /** Silence after which a connection in use is asked whether its server lives; 30 s when absent. */
  readonly pingAfterMs?: number;
  /** How long the server may take to answer that; 15 s when absent. */
  readonly pingTimeoutMs?: number;
  /** Told of each request, for metrics. */
  readonly observer?: RequestObserver & ConnectionObserver;
  /** Told of what an operator should know; silent when absent. */
  readonly log?: Logger;
  readonly clock?: Clock;
  /** In place of connections of its own, such as within a process. Closed by the client. */
  readonly transport?: Transport;
}

export interface GroupVersionResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural name: `widgets`. */
  readonly resource: string;
}

export interface ClientBase extends AsyncDisposable {
  readonly config: ClientConfig;
  /** Any resource, as JSON; objects say their apiVersion and kind. */
  dynamic<T extends KubeObject = KubeObject>(resource: GroupVersionResource): DynamicResource<T>;
  /** A resource as another client names it (`client.core.v1.pods.target`), with this client's credentials. */
  resourceFor<T extends KubeObject>(target: ResourceTarget): ResourceClient<T>;
  /**
   * The same client for writes that need a right that can be lost, such as leadership: they are refused from then on.
   * It is closed with this one.
   */
  fenced(fence: Fence): Client;
  /** A request for any path, with the client's credentials, limits and retries. All answers are given, refusals too. */
  request(request: ClientRequest): Promise<PendingAnswer>;
  /** Ends all connections and what is under way on them. */
  close(): Promise<void>;
}

/** The operations of a client by group, version and resource: `client.apps.v1.deployments`. */
export type Client = ClientBase & ApiGroups;

/** Connects when the first request is sent. Throws when the configuration cannot be used. */
export function createClient(config: ClientConfig, options: ClientOptions = {}): Client {
  const { qps, burst, contentType = 'protobuf', log = silentLogger, transport: given } = options;
  for (const warning of config.warnings ?? []) log.warn({ server: config.url }, warning);
  const transport = given ?? createApiTransport(config, options);
  const limits = { ...(qps === undefined ? {} : { qps }), ...(burst === undefined ? {} : { burst }) };
  const limiter =
    options.limiter ?? createRequestLimiter({ ...defaultRateLimits, ...limits }, options.clock ?? systemClock);
  return clientOver(transport, config, { ...options, contentType, limiter });
}

function clientOver(transport: Transport, config: ClientConfig, options: ClientOptions): Client {
  const sender = new Sender(config, transport, options);
  const { contentType, acceptContentTypes = '', dropManagedFields = false } = options;
  const encodings = {
    sendsProtobuf: contentType!.includes('protobuf'),
    acceptsProtobuf: (acceptContentTypes === '' ? contentType! : acceptContentTypes).includes('protobuf'),
  };
  const requests = new Requests(sender, encodings, { dropManagedFields });
  const client: ClientBase = {
    config,
    fenced: (fence) => clientOver(fencedTransport(transport, fence), config, options),
    dynamic: <T extends KubeObject>(resource: GroupVersionResource) =>
      new ResourceClient<T>({ ...resource, hasProtobuf: false }, requests),
    resourceFor: <T extends KubeObject>(target: ResourceTarget) => new ResourceClient<T>(target, requests),
    request: (request) => sender.send(request),
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
  return addApiGroups(client, requests);
}
