/** What is to be done about the load balancer of a service. */
import type { Node, Service } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { hasFinalizer } from '../shared/finalizers.ts';

/** Keeps a service until its load balancer is gone. */
export const cleanupFinalizer = 'service.kubernetes.io/load-balancer-cleanup';
const excludedLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';
const toBeDeletedTaint = 'ToBeDeletedByClusterAutoscaler';

/** A service with a class is left to the controller of that class. */
export const wantsLoadBalancer = ({ spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined;

/** Whether the service has to lose a load balancer that it may have. */
export const needsCleanup = (service: Service): boolean =>
  hasFinalizer(service, cleanupFinalizer) &&
  (service.metadata.deletionTimestamp !== undefined || service.spec?.type !== 'LoadBalancer');

/** Whether a service that is seen for the first time is to be looked at. */
export const isConcerned = (service: Service): boolean => wantsLoadBalancer(service) || needsCleanup(service);

export interface Change {
  /** What an event says of it; a change that is not worth one has none. */
  readonly event?: { readonly reason: string; readonly message: string };
}

/** Undefined where the load balancer stays as it is. The first difference counts. */
export function changeOf(before: Service, after: Service): Change | undefined {
  if (wantsLoadBalancer(before) !== wantsLoadBalancer(after))
    return told('Type', `${before.spec?.type} -> ${after.spec?.type}`);
  if (!wantsLoadBalancer(after)) return undefined;
  for (const differ of differences) {
    const change = differ(before, after);
    if (change !== undefined) return change;
  }
  return undefined;
}

const told = (reason: string, message: string): Change => ({ event: { reason, message } });

type Difference = (before: Service, after: Service) => Change | undefined;
type Spec = Service['spec'];

const silently =
  (of: (service: Service) => unknown): Difference =>
  (before, after) =>
    isEqual(of(before), of(after)) ? undefined : {};

const toldAs =
  (reason: string, of: (spec: Spec) => unknown, show: (value: unknown) => string = String): Difference =>
  (before, after) => {
    const [from, to] = [of(before.spec), of(after.spec)];
    return isEqual(from, to) ? undefined : told(reason, `${show(from)} -> ${show(to)}`);
  };

/** As Go shows a list of strings. */
const list = (value: unknown): string => `[${(value as readonly string[]).join(' ')}]`;

const externalIps: Difference = ({ spec: { externalIPs: before = [] } }, { spec: { externalIPs: after = [] } }) => {
  if (before.length !== after.length) return told('ExternalIP', `Count: ${before.length} -> ${after.length}`);
  const added = after.find((ip, i) => ip !== before[i]);
  return added === undefined ? undefined : told('ExternalIP', `Added: ${added}`);
};

const familyCount: Difference = ({ spec: { ipFamilies: before = [] } }, { spec: { ipFamilies: after = [] } }) =>
  before.length === after.length ? undefined : told('IPFamilies', `Count: ${before.length} -> ${after.length}`);

const differences: readonly Difference[] = [
  toldAs('LoadBalancerSourceRanges', (spec) => spec.loadBalancerSourceRanges ?? [], list),
  // Names count, and target ports do not: traffic goes to the ports of nodes.
  silently(({ spec }) =>
    (spec.ports ?? []).map(({ name = '', protocol = '', port, nodePort = 0 }) => [name, protocol, port, nodePort]),
  ),
  silently(({ spec }) => spec.sessionAffinity ?? 'None'),
  silently(({ spec }) => spec.sessionAffinityConfig ?? null),
  toldAs('LoadbalancerIP', (spec) => spec.loadBalancerIP ?? ''),
  externalIps,
  silently(({ metadata }) => metadata.annotations ?? {}),
  (before, after) =>
    before.metadata.uid === after.metadata.uid
      ? undefined
      : told('UID', `${before.metadata.uid} -> ${after.metadata.uid}`),
  toldAs('ExternalTrafficPolicy', (spec) => spec.externalTrafficPolicy ?? ''),
  toldAs('HealthCheckNodePort', (spec) => spec.healthCheckNodePort ?? 0),
  familyCount,
];

/** Whether traffic may go to a node. Its readiness does not count: load balancers check that themselves (KEP-3458). */
export const isBackend = ({ metadata, spec }: Node): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[excludedLabel] === undefined &&
  !(spec?.taints ?? []).some(({ key }) => key === toBeDeletedTaint);

/** The same for nodes that are the same to a load balancer, whatever their order. */
export const backendsKey = (nodes: readonly Node[]): string =>
  JSON.stringify(nodes.map(({ metadata, spec }) => [metadata.name, spec?.providerID ?? '']).sort());
