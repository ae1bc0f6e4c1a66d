/**
 * The port of a platform: what it does for a cluster that runs on it. Platform builders implement it and give it to
 * `createControlPlane({ cloud })`; the controllers of load balancers and routes call it.
 *
 * Every call can be repeated, also after one that succeeded, and has to end soon after its signal aborts. What a call
 * rejects with is shown in an event of the service or node, and the call is made again after a time.
 */
import type { LoadBalancerStatus, Node, NodeAddress, Service } from '../../api/gen/types/core-v1.ts';

export interface CloudProvider {
  /** By which the platform tells clusters apart; `kubernetes` when absent. */
  readonly clusterName?: string;
  /** For services of type LoadBalancer without a class. */
  readonly loadBalancers?: LoadBalancers;
  /** For networks in which each node has a range of pod addresses, and other nodes find it by a route. */
  readonly routes?: Routes;
}

export interface CloudCall {
  readonly clusterName: string;
  /** Aborts when the controller ends. */
  readonly signal: AbortSignal;
}

export interface LoadBalancers {
  /** How many services are worked on at a time; 1 when absent. */
  readonly concurrency?: number;
  /** Undefined: the service has no load balancer. */
  getLoadBalancer(service: Service, call: CloudCall): Promise<LoadBalancerStatus | undefined>;
  /**
   * Makes or changes the load balancer of a service. Its status is what clients are shown. No object may be changed.
   *
   * @param nodes to which traffic may go; none where the cluster has no node for it
   */
  ensureLoadBalancer(service: Service, nodes: readonly Node[], call: CloudCall): Promise<LoadBalancerStatus>;
  /** Other nodes than before take the traffic; nothing else has changed. */
  updateLoadBalancer(service: Service, nodes: readonly Node[], call: CloudCall): Promise<void>;
  /** Resolves when there is no load balancer, also where there was none. */
  ensureLoadBalancerDeleted(service: Service, call: CloudCall): Promise<void>;
}

export interface Routes {
  /** The ranges of all pods, one for each family at most. Routes to elsewhere are left alone. */
  readonly clusterCidrs: readonly string[];
  /** Between two comparisons; 10 s when absent. */
  readonly periodMs?: number;
  listRoutes(call: CloudCall): Promise<readonly CloudRoute[]>;
  createRoute(route: NewRoute, call: CloudCall): Promise<void>;
  deleteRoute(route: CloudRoute, call: CloudCall): Promise<void>;
}

export interface CloudRoute {
  /** As the platform calls it. */
  readonly name?: string;
  /** The node that the addresses are reached by. */
  readonly targetNode: string;
  /** Where the platform needs them: a route to a node whose addresses are others now is made anew. */
  readonly targetNodeAddresses?: readonly NodeAddress[];
  readonly destinationCidr: string;
  /** The target is no more, and packets are dropped. */
  readonly isBlackhole?: boolean;
}

export interface NewRoute extends CloudRoute {
  readonly targetNodeAddresses: readonly NodeAddress[];
  /** The same for all routes of a node, and of no other node: its uid. */
  readonly nameHint: string;
}

/** Thrown by a call for what another program does: the controller leaves the object alone, without an event. */
export class ImplementedElsewhereError extends Error {
  override readonly name = 'ImplementedElsewhereError';

  constructor(message = 'implemented by alternative to cloud provider') {
    super(message);
  }
}

/** Thrown by `ensureLoadBalancer` when the platform is not done: the call is made again after this time. */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
