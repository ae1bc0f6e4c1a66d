/** The EndpointSlices of a service: one group per address type and set of ports. */
import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import type { Node, Pod, Service } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { grouped } from '../shared/grouped.ts';
import { orderSlicePorts } from '../shared/port-order.ts';
import { isPodReady } from '../shared/pod-conditions.ts';
import { controllerReference } from '../shared/owner-references.ts';
import {
  familiesOf,
  familyOfIp,
  headlessLabel,
  hostnameOf,
  type IpFamily,
  isHeadless,
  mayHaveEndpoint,
  podIps,
  targetPortOf,
} from '../shared/service-pods.ts';
import { isOwnedBy, managedByLabel, noChanges, serviceNameLabel, type SliceChanges } from '../shared/slice-changes.ts';
import { distribute } from './slices.ts';

export const managedBy = 'endpointslice-controller.k8s.io';

const reserved: ReadonlySet<string> = new Set([serviceNameLabel, managedByLabel, headlessLabel]);

export interface SyncInput {
  readonly service: Service;
  readonly pods: readonly Pod[];
  /** The slices of this controller for the service. */
  readonly slices: readonly EndpointSlice[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly maxPerSlice: number;
}

export interface SyncResult {
  readonly addressType: string;
  /** Before slices are used again, see `reuseSlices`: hints come in between. */
  readonly changes: SliceChanges;
  /** What some pods were left out for. */
  readonly problems: readonly string[];
  readonly endpoints: number;
  /** The fewest slices that hold the endpoints. */
  readonly wantedSlices: number;
  readonly added: number;
  readonly removed: number;
}

/** Per address type. Slices of types that the service is not for are removed. */
export function slicesOf(input: SyncInput): SyncResult[] {
  const families = familiesOf(input.service);
  const unsupported = grouped(
    input.slices.filter(({ addressType }) => !families.includes(addressType as IpFamily)),
    ({ addressType = '' }) => addressType,
  );
  const removals = [...unsupported].map(([addressType, remove]) => ({
    ...{ addressType, changes: { ...noChanges(), remove }, problems: [] },
    ...{ endpoints: 0, wantedSlices: 0, added: 0, removed: 0 },
  }));
  return [...families.map((family) => slicesOfFamily(input, family)), ...removals];
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

function slicesOfFamily(input: SyncInput, family: IpFamily): SyncResult {
  const { service, slices, maxPerSlice } = input;
  const { groups, problems } = groupsOf(input, family);
  const changes = noChanges();
  const existing = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    if (slice.addressType !== family) continue;
    const key = portKey(slice.ports ?? []);
    if (isOwnedBy(slice, service)) existing.set(key, [...(existing.get(key) ?? []), slice]);
    else changes.remove.push(slice);
  }
  const counts = { endpoints: 0, wantedSlices: 0, added: 0, removed: 0 };
  for (const [key, { ports, endpoints }] of groups) {
    const distributed = distribute({
      existing: existing.get(key) ?? [],
      newSlice: () => newSlice(service, family, ports),
      wanted: endpoints,
      maxPerSlice,
      labelsOf: () => labelsOf(service),
    });
    add(changes, distributed);
    counts.endpoints += endpoints.length;
    counts.wantedSlices += Math.ceil(endpoints.length / maxPerSlice);
    counts.added += distributed.added;
    counts.removed += distributed.removed;
  }
  for (const [key, unwanted] of existing) if (!groups.has(key)) changes.remove.push(...unwanted);
  keepPlaceholder(service, family, changes);
  return { addressType: family, changes, problems, ...counts, wantedSlices: Math.max(1, counts.wantedSlices) };
}

/** A service without endpoints has one slice that says so. */
function keepPlaceholder(
  service: Service,
  family: IpFamily,
  { create, update, remove, unchanged }: SliceChanges,
): void {
  if (create.length > 0 || update.length > 0 || unchanged.length > 0) return;
  const placeholder = newSlice(service, family, []);
  const index = remove.findIndex((slice) => isOwnedBy(slice, service) && isPlaceholder(slice, placeholder));
  if (index < 0) create.push(placeholder);
  else unchanged.push(...remove.splice(index, 1));
}

const isPlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice): boolean =>
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  isEqual(slice.metadata.labels, placeholder.metadata.labels);

function groupsOf(
  { service, pods, nodeOf }: SyncInput,
  family: IpFamily,
): { readonly groups: ReadonlyMap<string, Group>; readonly problems: readonly string[] } {
  const isPublished = service.spec?.publishNotReadyAddresses === true;
  const groups = new Map<string, Group>();
  const problems: string[] = [];
  for (const pod of pods) {
    if (!mayHaveEndpoint(pod, true)) continue;
    const { nodeName = '' } = pod.spec ?? {};
    const node = nodeOf(nodeName);
    if (node === undefined && !isPublished) {
      const { namespace, name } = service.metadata;
      problems.push(`skipping Pod ${pod.metadata.name} for Service ${namespace}/${name}: Node ${nodeName} Not Found`);
      continue;
    }
    const endpoint = endpointOf(service, pod, node, family);
    if (endpoint === undefined) continue;
    const ports = portsOf(service, pod);
    const key = portKey(ports);
    const group = groups.get(key) ?? { ports: orderSlicePorts(ports), endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpoint);
  }
  return { groups, problems };
}

const zoneLabel = 'topology.kubernetes.io/zone';

function endpointOf(service: Service, pod: Pod, node: Node | undefined, family: IpFamily): Endpoint | undefined {
  const addresses = podIps(pod).filter((ip) => familyOfIp(ip) === family);
  if (addresses.length === 0) return undefined;
  const { namespace, name, uid, deletionTimestamp } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const hostname = hostnameOf(pod, service);
  const zone = node?.metadata.labels?.[zoneLabel] ?? '';
  const { nodeName } = pod.spec ?? {};
  return {
    addresses,
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: 'Pod', namespace: namespace!, name: name!, uid: uid! },
    ...(nodeName === undefined || nodeName === '' ? {} : { nodeName }),
    ...(zone === '' ? {} : { zone }),
  };
}

function portsOf(service: Service, pod: Pod): EndpointPort[] {
  const ports: EndpointPort[] = [];
  for (const servicePort of service.spec?.ports ?? []) {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) continue;
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    ports.push({ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) });
  }
  return ports;
}

/** The same for the same ports in any order. */
const portKey = (ports: readonly EndpointPort[]): string =>
  ports
    .map(({ name = '', protocol, port, appProtocol = '' }) => `${name}/${protocol}/${port}/${appProtocol}`)
    .sort()
    .join();

function labelsOf(service: Service): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(service.metadata.labels ?? {}))
    if (!reserved.has(name)) labels[name] = value;
  labels[serviceNameLabel] = service.metadata.name!;
  labels[managedByLabel] = managedBy;
  if (isHeadless(service)) labels[headlessLabel] = '';
  return labels;
}

const newSlice = (service: Service, addressType: IpFamily, ports: readonly EndpointPort[]): EndpointSlice => ({
  metadata: {
    generateName: `${service.metadata.name}-`,
    namespace: service.metadata.namespace!,
    labels: labelsOf(service),
    ownerReferences: [controllerReference({ ...service, apiVersion: 'v1', kind: 'Service' })],
  },
  addressType,
  endpoints: [],
  ports: [...ports],
});

function add(changes: SliceChanges, more: SliceChanges): void {
  changes.create.push(...more.create);
  changes.update.push(...more.update);
  changes.remove.push(...more.remove);
  changes.unchanged.push(...more.unchanged);
}
