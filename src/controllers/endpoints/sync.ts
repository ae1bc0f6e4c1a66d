/** The Endpoints of a service: addresses of its pods, grouped by the ports that they have. */
import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
  Pod,
  Service,
} from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { orderEndpointsPorts } from '../shared/port-order.ts';
import { isPodReady } from '../shared/pod-conditions.ts';
import {
  familiesOf,
  familyOfIp,
  headlessLabel,
  hostnameOf,
  isHeadless,
  mayHaveEndpoint,
  podIps,
  targetPortOf,
} from '../shared/service-pods.ts';
import { triggerTimeAnnotation } from '../shared/trigger-times.ts';

/** Addresses that one object has at most; clients that need all of them read EndpointSlices. */
const maxAddresses = 1000;
const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity';

/** What the service and its pods lead to. Undefined when `current` says that already. */
export function endpointsOf(
  service: Service,
  pods: readonly Pod[],
  current: Endpoints | undefined,
  triggerTime: string | undefined,
): Endpoints | undefined {
  const { subsets, isTruncated } = truncated(subsetsOf(service, pods));
  const labels = labelsOf(service);
  const annotations: Record<string, string> = { ...current?.metadata.annotations };
  const wasTruncated = annotations[overCapacityAnnotation] === 'truncated';
  if (
    current !== undefined &&
    isEqual(current.subsets ?? [], subsets) &&
    isEqual(current.metadata.labels ?? {}, labels) &&
    wasTruncated === isTruncated
  )
    return undefined;
  if (isTruncated) annotations[overCapacityAnnotation] = 'truncated';
  else delete annotations[overCapacityAnnotation];
  if (triggerTime === undefined) delete annotations[triggerTimeAnnotation];
  else annotations[triggerTimeAnnotation] = triggerTime;
  const { name, namespace } = service.metadata;
  const metadata = current?.metadata ?? { name: name!, namespace: namespace! };
  return { ...current, metadata: { ...metadata, labels, annotations }, subsets };
}

const labelsOf = (service: Service): Record<string, string> => {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return isHeadless(service) ? { ...labels, [headlessLabel]: '' } : labels;
};

function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const isPublished = service.spec?.publishNotReadyAddresses === true;
  const [family] = familiesOf(service);
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const ip = podIps(pod).find((each) => familyOfIp(each) === family);
    if (ip === undefined || !mayHaveEndpoint(pod, isPublished)) continue;
    const ports = portsOf(service, pod);
    if (ports === undefined) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports: orderEndpointsPorts(ports), ready: [], notReady: [] };
    groups.set(key, group);
    (isPublished || isPodReady(pod) ? group.ready : group.notReady).push(addressOf(service, pod, ip));
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => subsetOf(group));
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

function subsetOf({ ports, ready, notReady }: Group): EndpointSubset {
  return {
    ...(ready.length === 0 ? {} : { addresses: ready.sort(byIp) }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.sort(byIp) }),
    ...(ports.length === 0 ? {} : { ports: [...ports] }),
  };
}

const byIp = (a: EndpointAddress, b: EndpointAddress): number => (a.ip! < b.ip! ? -1 : a.ip! > b.ip! ? 1 : 0);

/** Undefined for a pod that has none of the ports: it is not behind the service. */
function portsOf(service: Service, pod: Pod): EndpointPort[] | undefined {
  const { ports = [] } = service.spec ?? {};
  if (ports.length === 0) return isHeadless(service) ? [] : undefined;
  const found: EndpointPort[] = [];
  for (const servicePort of ports) {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) continue;
    const { name, protocol = 'TCP', appProtocol } = servicePort;
    const isNamed = name !== undefined && name !== '';
    found.push({
      ...(isNamed ? { name } : {}),
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    });
  }
  return found.length === 0 ? undefined : found.sort((a, b) => a.port! - b.port! || (a.name! < b.name! ? -1 : 1));
}

function addressOf(service: Service, pod: Pod, ip: string): EndpointAddress {
  const hostname = hostnameOf(pod, service);
  const { namespace, name, uid } = pod.metadata;
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
  };
}

/** Ready addresses are kept first; each subset loses its part. */
function truncated(subsets: EndpointSubset[]): { readonly subsets: EndpointSubset[]; readonly isTruncated: boolean } {
  const count = (of: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, subset) => sum + (subset[of]?.length ?? 0), 0);
  const ready = count('addresses');
  if (ready + count('notReadyAddresses') <= maxAddresses) return { subsets, isTruncated: false };
  let readyLeft = Math.min(ready, maxAddresses);
  let notReadyLeft = maxAddresses - readyLeft;
  const kept = subsets.map((subset) => {
    const { addresses = [], notReadyAddresses = [], ports } = subset;
    const first = addresses.slice(0, readyLeft);
    const second = notReadyAddresses.slice(0, notReadyLeft);
    readyLeft -= first.length;
    notReadyLeft -= second.length;
    return subsetOf({ ports: ports ?? [], ready: first, notReady: second });
  });
  const filled = kept.filter(
    ({ addresses, notReadyAddresses }) => addresses !== undefined || notReadyAddresses !== undefined,
  );
  return { subsets: filled, isTruncated: true };
}
