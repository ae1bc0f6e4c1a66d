/** Which routes a cluster needs, and what its nodes say of theirs. */
import type { Node, NodeCondition } from '../../api/gen/types/core-v1.ts';
import { type Cidr, containsCidr, parseCidr } from '../../machinery/formats/addresses.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { CloudRoute, NewRoute } from '../cloud/provider.ts';

export interface RoutePlan {
  /** Before others are made. */
  readonly remove: readonly CloudRoute[];
  readonly create: readonly NewRoute[];
}

/** Routes to addresses that are not the cluster's are left alone. */
export function planRoutes(
  nodes: readonly Node[],
  routes: readonly CloudRoute[],
  clusterCidrs: readonly Cidr[],
): RoutePlan {
  const wanted = new Map(nodes.flatMap(routesOf).map((route) => [keyOf(route), route]));
  const there = new Set<string>();
  const remove: CloudRoute[] = [];
  for (const route of routes) {
    if (!isOfCluster(route, clusterCidrs)) continue;
    const key = keyOf(route);
    const want = wanted.get(key);
    if (want === undefined || route.isBlackhole === true || isMoved(route, want)) remove.push(route);
    else there.add(key);
  }
  return { remove, create: [...wanted].filter(([key]) => !there.has(key)).map(([, route]) => route) };
}

const keyOf = ({ targetNode, destinationCidr }: CloudRoute): string => `${targetNode} ${destinationCidr}`;

/** A node without ranges waits for them. */
const routesOf = ({ metadata, spec, status }: Node): NewRoute[] =>
  (spec?.podCIDRs ?? []).map((destinationCidr) => ({
    targetNode: metadata.name!,
    targetNodeAddresses: status?.addresses ?? [],
    destinationCidr,
    nameHint: metadata.uid!,
  }));

function isOfCluster({ destinationCidr }: CloudRoute, clusterCidrs: readonly Cidr[]): boolean {
  const destination = parseCidr(destinationCidr);
  return destination !== undefined && clusterCidrs.some((cidr) => containsCidr(cidr, destination));
}

const isMoved = (route: CloudRoute, want: NewRoute): boolean =>
  route.targetNodeAddresses !== undefined && !isEqual(sorted(route), sorted(want));

const sorted = ({ targetNodeAddresses = [] }: CloudRoute): string[] =>
  targetNodeAddresses.map(({ type, address }) => `${type} ${address}`).sort();

/** Undefined where the node says so already, or has no ranges yet. */
export function networkCondition({ spec, status }: Node, hasRoutes: boolean, now: string): NodeCondition | undefined {
  if ((spec?.podCIDRs ?? []).length === 0) return undefined;
  const isUnavailable = hasRoutes ? 'False' : 'True';
  const said = status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
  if (said?.status === isUnavailable) return undefined;
  return {
    type: 'NetworkUnavailable',
    status: isUnavailable,
    reason: hasRoutes ? 'RouteCreated' : 'NoRouteCreated',
    message: hasRoutes ? 'RouteController created a route' : 'RouteController failed to create a route',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
}
