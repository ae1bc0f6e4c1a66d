/**
 * Gives services of type LoadBalancer the load balancers of a platform, and shows in their status where they are.
 *
 * A service has a finalizer from before its load balancer is made until after it is gone.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/access-application-cluster/create-external-load-balancer/#garbage-collecting-load-balancers
 *   | Garbage collecting load balancers}
 */
import type { LoadBalancerStatus, Node, Service } from '../../api/gen/types/core-v1.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { InformerHandler } from '../../client/index.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import { ExponentialRateLimiter } from '../../reconcile/rate-limiter.ts';
import { type CloudCall, ImplementedElsewhereError, type LoadBalancers, RetryLaterError } from '../cloud/provider.ts';
import type { ControllerContext } from '../manager/context.ts';
import { hasFinalizer } from '../shared/finalizers.ts';
import { eventsOf } from '../shared/triggers.ts';
import { type LoadBalancerMetrics, loadBalancerMetrics } from './metrics.ts';
import {
  backendsKey,
  changeOf,
  cleanupFinalizer,
  isBackend,
  isConcerned,
  needsCleanup,
  wantsLoadBalancer,
} from './sync.ts';

/** As upstream: platforms are slower than the API. */
const retries = { firstMs: 5000, maxMs: 300_000 };
const defaultClusterName = 'kubernetes';

export function startLoadBalancers(context: ControllerContext): void {
  const { client, cloud, log } = context;
  const provider = cloud?.loadBalancers;
  if (provider === undefined)
    return log.warn({ controller: context.name }, 'the cloud provider does not support external load balancers');
  const services = context.informer(client.core.v1.services);
  const nodes = context.informer(client.core.v1.nodes);
  const controller = new LoadBalancerController(context, { provider, services, nodes });
  context.work({
    queue: 'service',
    workers: provider.concurrency ?? 1,
    rateLimiter: new ExponentialRateLimiter(retries),
    triggers: [
      eventsOf(services, (add) => controller.onServices(add)),
      eventsOf(nodes, (add) => controller.onNodes(add)),
    ],
    sync: (key, signal) => controller.sync(key, { clusterName: cloud?.clusterName ?? defaultClusterName, signal }),
  });
}

interface Parts {
  readonly provider: LoadBalancers;
  readonly services: Informer<Service>;
  readonly nodes: Informer<Node>;
}

/** A service that may have a load balancer. */
interface Known {
  readonly service: Service;
  /** To which its load balancer sends traffic; undefined before it is made. */
  readonly backends: string | undefined;
}

class LoadBalancerController {
  readonly #context: ControllerContext;
  readonly #parts: Parts;
  readonly #metrics: LoadBalancerMetrics | undefined;
  readonly #known = new Map<string, Known>();
  /** Services that have changed; of the others only the nodes are looked at. */
  readonly #changed = new Set<string>();
  /** Nodes have changed: since when, and of which services the load balancers are not told yet. */
  #round: { readonly since: number; readonly left: Set<string> } | undefined;

  constructor(context: ControllerContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
    this.#metrics = loadBalancerMetrics(context.metrics);
  }

  onServices(add: (key: string) => void): InformerHandler<Service> {
    const wake = (service: Service): void => {
      const key = this.#parts.services.keyOf(service);
      this.#changed.add(key);
      add(key);
    };
    return {
      onAdd(service) {
        if (isConcerned(service)) wake(service);
      },
      onUpdate: (before, after) => {
        const change = changeOf(before, after);
        if (change?.event !== undefined) this.#tell(after, change.event.reason, change.event.message);
        if (change !== undefined || needsCleanup(after)) wake(after);
      },
      onDelete: (service) => {
        if (this.#known.has(this.#parts.services.keyOf(service))) wake(service);
      },
    };
  }

  onNodes(add: (key: string) => void): InformerHandler<Node> {
    const wakeAll = (): void => {
      if (this.#known.size === 0) return;
      this.#round = { since: this.#round?.since ?? this.#context.clock.now(), left: new Set(this.#known.keys()) };
      for (const key of this.#known.keys()) add(key);
    };
    const shown = (node: Node): string => backendsKey([node].filter(isBackend));
    return {
      onAdd: wakeAll,
      onUpdate(before, after) {
        if (shown(before) !== shown(after)) wakeAll();
      },
      onDelete: wakeAll,
    };
  }

  async sync(key: string, call: CloudCall): Promise<SyncResult> {
    const service = this.#parts.services.objects.get(key);
    if (this.#changed.delete(key)) {
      try {
        await (service === undefined ? this.#forget(key, call) : this.#apply(key, service, call));
      } catch (error) {
        this.#changed.add(key);
        if (error instanceof RetryLaterError) return { requeueAfterMs: error.retryAfterMs };
        throw error;
      }
    } else if (service !== undefined) await this.#update(key, service, call);
    this.#leave(key);
    return undefined;
  }

  async #apply(key: string, service: Service, call: CloudCall): Promise<void> {
    const before = this.#known.get(key)?.service;
    // Deleted and made again, and without a finalizer that would have shown it in between.
    if (before !== undefined && before.metadata.uid !== service.metadata.uid) await this.#forget(key, call);
    this.#known.set(key, { service, backends: this.#known.get(key)?.backends });
    try {
      await (wantsLoadBalancer(service) && !needsCleanup(service)
        ? this.#ensure(key, service, call)
        : this.#remove(key, service, call));
    } catch (error) {
      this.#warn(service, 'SyncLoadBalancerFailed', `Error syncing load balancer: ${messageOf(error)}`);
      throw error;
    }
  }

  async #ensure(key: string, service: Service, call: CloudCall): Promise<void> {
    this.#tell(service, 'EnsuringLoadBalancer', 'Ensuring load balancer');
    await explained('failed to add load balancer cleanup finalizer', () => this.#addFinalizer(service));
    const nodes = this.#backends();
    if (nodes.length === 0) this.#tellNoNodes(service);
    this.#metrics?.configured();
    const status = await explained('failed to ensure load balancer', () =>
      undefinedWhenElsewhere(() => this.#parts.provider.ensureLoadBalancer(service, nodes, call)),
    );
    this.#known.set(key, { service, backends: backendsKey(nodes) });
    if (status === undefined) return;
    this.#tell(service, 'EnsuredLoadBalancer', 'Ensured load balancer');
    await this.#showStatus(service, status);
  }

  async #remove(key: string, service: Service, call: CloudCall): Promise<void> {
    const { provider } = this.#parts;
    const found = await explained('failed to check if load balancer exists before cleanup', () =>
      provider.getLoadBalancer(service, call),
    );
    if (found !== undefined) {
      this.#tell(service, 'DeletingLoadBalancer', 'Deleting load balancer');
      const isDeleted = await explained('failed to delete load balancer', () =>
        undefinedWhenElsewhere(() => provider.ensureLoadBalancerDeleted(service, call).then(() => true)),
      );
      if (isDeleted === undefined) return;
    }
    await explained('failed to remove load balancer cleanup finalizer', () => this.#removeFinalizer(service));
    this.#tell(service, 'DeletedLoadBalancer', 'Deleted load balancer');
    await this.#showStatus(service, {});
    this.#known.delete(key);
  }

  /** The service is gone, without a finalizer that would have kept it: what is known of it tells what to delete. */
  async #forget(key: string, call: CloudCall): Promise<void> {
    const service = this.#known.get(key)?.service;
    if (service !== undefined && wantsLoadBalancer(service)) {
      this.#tell(service, 'DeletingLoadBalancer', 'Deleting load balancer');
      try {
        await this.#parts.provider.ensureLoadBalancerDeleted(service, call);
        this.#tell(service, 'DeletedLoadBalancer', 'Deleted load balancer');
      } catch (error) {
        if (!(error instanceof ImplementedElsewhereError)) {
          this.#warn(service, 'DeleteLoadBalancerFailed', `Error deleting load balancer: ${messageOf(error)}`);
          throw error;
        }
      }
    }
    this.#known.delete(key);
  }

  /** Other nodes take the traffic of a service that has not changed. */
  async #update(key: string, service: Service, call: CloudCall): Promise<void> {
    const { provider } = this.#parts;
    const nodes = this.#backends();
    const backends = backendsKey(nodes);
    if (!wantsLoadBalancer(service) || this.#known.get(key)?.backends === backends) return;
    const begun = this.#context.clock.now();
    this.#metrics?.configured();
    try {
      await provider.updateLoadBalancer(service, nodes, call);
      if (nodes.length === 0) this.#tellNoNodes(service);
      else this.#tell(service, 'UpdatedLoadBalancer', 'Updated load balancer with new hosts');
    } catch (error) {
      if (!(error instanceof ImplementedElsewhereError) && (await this.#mayExist(service, call))) {
        this.#metrics?.nodesFailed();
        const hosts = nodes.map(({ metadata }) => metadata.name).join(' ');
        const message = `Error updating load balancer with new hosts [${hosts}]: ${messageOf(error)}`;
        this.#warn(service, 'UpdateLoadBalancerFailed', message);
        throw error;
      }
    } finally {
      this.#metrics?.hostsUpdated(this.#context.clock.now() - begun);
    }
    this.#known.set(key, { service, backends });
  }

  async #mayExist(service: Service, call: CloudCall): Promise<boolean> {
    try {
      return (await this.#parts.provider.getLoadBalancer(service, call)) !== undefined;
    } catch {
      return true;
    }
  }

  #leave(key: string): void {
    const round = this.#round;
    if (round?.left.delete(key) !== true || round.left.size > 0) return;
    this.#metrics?.nodesTold(this.#context.clock.now() - round.since);
    this.#round = undefined;
  }

  readonly #backends = (): Node[] => this.#parts.nodes.lister.list().filter(isBackend);

  async #addFinalizer(service: Service): Promise<void> {
    if (hasFinalizer(service, cleanupFinalizer)) return;
    await this.#patch(service, { metadata: { uid: service.metadata.uid, finalizers: [cleanupFinalizer] } });
  }

  async #removeFinalizer(service: Service): Promise<void> {
    if (!hasFinalizer(service, cleanupFinalizer)) return;
    const removed = { '$deleteFromPrimitiveList/finalizers': [cleanupFinalizer] };
    await this.#patch(service, { metadata: { uid: service.metadata.uid, ...removed } });
  }

  async #showStatus(service: Service, { ingress = [] }: LoadBalancerStatus): Promise<void> {
    const shown = this.#parts.services.objects.get(this.#parts.services.keyOf(service)) ?? service;
    if (isEqual(shown.status?.loadBalancer?.ingress ?? [], ingress)) return;
    const loadBalancer = { ingress: ingress.length === 0 ? null : ingress };
    try {
      await this.#patch(service, { metadata: { uid: service.metadata.uid }, status: { loadBalancer } });
    } catch (error) {
      // A service may be gone with its finalizer.
      if (!isNotFound(error))
        throw new Error(`failed to update load balancer status: ${messageOf(error)}`, { cause: error });
    }
  }

  async #patch({ metadata }: Service, patch: object): Promise<void> {
    const services = this.#context.client.core.v1.services.namespace(metadata.namespace!);
    await services.status.patch(metadata.name!, { strategic: patch });
  }

  #tell(service: Service, reason: string, message: string): void {
    this.#context.events.event(service, 'Normal', reason, message);
  }

  #warn(service: Service, reason: string, message: string): void {
    this.#context.events.event(service, 'Warning', reason, message);
  }

  #tellNoNodes(service: Service): void {
    this.#warn(service, 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer');
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function undefinedWhenElsewhere<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImplementedElsewhereError) return undefined;
    throw error;
  }
}

/** In the event; when it is to be tried again stays known. */
async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = `${what}: ${messageOf(error)}`;
    throw error instanceof RetryLaterError
      ? new RetryLaterError(message, error.retryAfterMs)
      : new Error(message, { cause: error });
  }
}
