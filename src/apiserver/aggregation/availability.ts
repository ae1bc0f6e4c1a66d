/**
 * Whether APIServices can be reached, written into their status. What this server answers itself can. Of the others
 * their service must be there with the port, have endpoints, and the group version must answer; that is asked again and
 * again, because nothing tells of a network that broke.
 */
import { timeLimit } from '../../base/time-limit.ts';
import type { APIService, APIServiceCondition } from '../../api/gen/types/apiregistration-v1.ts';
import type { Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import type { Controller, SyncResult } from '../../reconcile/controller.ts';
import type { WorkQueueObserver } from '../../reconcile/work-queue.ts';
import type { Logger } from '../../base/logger.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isStatusError } from '../../machinery/status.ts';
import { timestamp } from '../../registry/generic/timestamp.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import { startApiServiceController } from './api-service-controller.ts';
import { apiServicesResource, type ApiServices } from './api-services.ts';
import type { AvailabilityObserver } from './availability-metrics.ts';
import { type Backends, urlOf } from './backends.ts';
import { connectionErrorText } from '../webhooks/connection-errors.ts';
import { userHeaders } from './forwarded-headers.ts';
import { availabilityOf, type RemoteApi, remoteApiOf } from './remote-api.ts';
import type { ServiceResolver } from '../webhooks/service-resolver.ts';

export type Finding = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>;

export interface AvailabilityOptions {
  readonly services: ApiServices;
  readonly writer: LoopbackClient;
  readonly objects: Pick<CachedObjects, 'find'>;
  readonly resolve: ServiceResolver;
  readonly backends: Backends;
  readonly observer: AvailabilityObserver;
  readonly queue: WorkQueueObserver;
  readonly log: Logger;
}

const recheckMs = 30_000;
const checkTimeoutMs = 5000;
/**
 * With several endpoints behind a service, one may be in trouble: then others are asked at once, and the first that
 * answers will do.
 *
 * @NOTE differs from upstream, which asks five times each time.
 */
const furtherAttempts = 4;
const workers = 32;

export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #controller: Controller;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#controller = startApiServiceController({
      sync: (name, signal) => this.#update(name, signal),
      failure: 'the availability of an APIService could not be brought up to date',
      workers,
      firstRetryMs: 50,
      maxRetryMs: recheckMs,
      queue: options.queue,
      log: options.log,
    });
    options.services.onChange((name, before, after) => {
      if (
        before === undefined ||
        after === undefined ||
        !isEqual(before.spec, after.spec) ||
        (after.spec.service === undefined && !says(after, local))
      )
        this.#controller.add(name);
    });
  }

  /** Something about a service changed. */
  recheck(namespace: string, name: string): void {
    for (const { service, name: api } of this.#options.services.remotes)
      if (service.namespace === namespace && service.name === name) this.#controller.add(api);
  }

  stop(): Promise<void> {
    return this.#controller.stop();
  }

  async #update(name: string, signal: AbortSignal): Promise<SyncResult> {
    const { services, observer } = this.#options;
    const object = services.get(name);
    if (object === undefined) {
      observer.gone(name);
      return undefined;
    }
    const api = remoteApiOf(object);
    const finding = api === undefined ? local : await findOut(api, this.#options, signal);
    signal.throwIfAborted();
    const isAvailable = finding.status === 'True';
    const wasAvailable = availabilityOf(object)?.status === 'True';
    if (!says(object, finding)) await this.#write(name, object, finding);
    observer.found(name, isAvailable, wasAvailable && !isAvailable ? finding.reason : undefined);
    if (api === undefined) return undefined;
    return finding.reason === 'FailedDiscoveryCheck' ? 'retry' : { requeueAfterMs: recheckMs };
  }

  /** What was found of another service than it has by now is not written. */
  async #write(name: string, { spec }: APIService, finding: Finding): Promise<void> {
    try {
      await this.#options.writer.change<APIService>(
        { ...apiServicesResource, namespace: '', name },
        (changed) => {
          if (isEqual(changed.spec, spec)) setCondition(changed, finding, new Date());
        },
        'status',
      );
    } catch (error) {
      if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
    }
  }
}

const local: Finding = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
const passed: Finding = { status: 'True', reason: 'Passed', message: 'all checks passed' };

const unavailable = (reason: string, message: string): Finding => ({ status: 'False', reason, message });

type Means = Pick<AvailabilityOptions, 'objects' | 'resolve' | 'backends'>;

async function findOut(api: RemoteApi, means: Means, signal: AbortSignal): Promise<Finding> {
  return (await findMissing(api, means)) ?? (await findAnswering(api, means, signal));
}

/** What the objects of the cluster say. */
async function findMissing(
  { service: { namespace, name, port: wanted } }: RemoteApi,
  { objects }: Means,
): Promise<Finding | undefined> {
  const text = `service/${name} in "${namespace}"`;
  const unknown =
    (reason: string) =>
    (error: unknown): Finding => ({
      status: 'Unknown',
      reason,
      message: `${text} cannot be checked due to: ${(error as Error).message}`,
    });
  const service = await objects.find<Service>('', 'services', namespace, name).catch(unknown('ServiceAccessError'));
  if (service === undefined) return unavailable('ServiceNotFound', `${text} is not present`);
  if ('reason' in service) return service;
  if ((service.spec.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const port = service.spec.ports?.find((candidate) => candidate.port === wanted);
  if (port === undefined) return unavailable('ServicePortError', `${text} is not listening on port ${wanted}`);
  const endpoints = await objects
    .find<Endpoints>('', 'endpoints', namespace, name)
    .catch(unknown('EndpointsAccessError'));
  if (endpoints === undefined) return unavailable('EndpointsNotFound', `cannot find endpoints for ${text}`);
  if ('reason' in endpoints) return endpoints;
  const { name: portName = '' } = port;
  return hasActive(endpoints, portName)
    ? undefined
    : unavailable('MissingEndpoints', `endpoints for ${text} have no addresses with port name "${portName}"`);
}

const hasActive = ({ subsets = [] }: Endpoints, portName: string): boolean =>
  subsets.some(
    ({ addresses = [], ports = [] }) => addresses.length > 0 && ports.some(({ name = '' }) => name === portName),
  );

async function findAnswering(api: RemoteApi, means: Means, signal: AbortSignal): Promise<Finding> {
  const enough = new AbortController();
  const askOnce = (): Promise<void> =>
    ask(api, means, AbortSignal.any([signal, enough.signal, timeLimit(checkTimeoutMs)]));
  try {
    await askOnce().catch(() => Promise.any(Array.from({ length: furtherAttempts }, askOnce)));
    return passed;
  } catch (error) {
    const [first] = (error as AggregateError).errors as Error[];
    return unavailable('FailedDiscoveryCheck', first!.message);
  } finally {
    enough.abort();
  }
}

/** A member of `system:masters` has every right; the answering server learns no secret from it. */
const checkHeaders = new Map(userHeaders({ name: 'system:kube-aggregator', groups: ['system:masters'] }, false));

async function ask(api: RemoteApi, { resolve, backends }: Means, signal: AbortSignal): Promise<void> {
  const address = await resolve(api.service);
  const target = `/apis/${api.apiVersion}`;
  const url = urlOf(address, target);
  let status: number;
  try {
    const answer = await backends.check(api, address, { method: 'GET', target, headers: checkHeaders, signal });
    answer.body.destroy();
    status = answer.status;
  } catch (error) {
    throw new Error(`failing or missing response from ${url}: Get "${url}": ${connectionErrorText(error, address)}`);
  }
  if (status < 200 || status > 299)
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
}

function says(object: APIService, finding: Finding): boolean {
  const current = availabilityOf(object);
  return current?.status === finding.status && current.reason === finding.reason && current.message === finding.message;
}

function setCondition(service: APIService, finding: Finding, now: Date): void {
  const conditions = service.status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === 'Available');
  const current = conditions[index];
  const lastTransitionTime = current?.status === finding.status ? current.lastTransitionTime : undefined;
  const condition = { type: 'Available', ...finding, lastTransitionTime: lastTransitionTime ?? timestamp(now) };
  service.status = {
    ...service.status,
    conditions: index < 0 ? [...conditions, condition] : conditions.with(index, condition),
  };
}
