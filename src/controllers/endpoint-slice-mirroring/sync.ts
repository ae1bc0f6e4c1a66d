/** The EndpointSlices that say the same as Endpoints which users or other programs wrote: one per family and ports. */
import type { EndpointAddress, EndpointPort, Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import type { Endpoint, EndpointSlice, EndpointPort as SlicePort } from '../../api/gen/types/discovery-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { formatIp, parseIp } from '../../machinery/formats/addresses.ts';
import { grouped } from '../shared/grouped.ts';
import { controllerReference } from '../shared/owner-references.ts';
import type { IpFamily } from '../shared/service-pods.ts';
import {
  managedByLabel,
  noChanges,
  reuseSlices,
  serviceNameLabel,
  type SliceChanges,
} from '../shared/slice-changes.ts';
import { triggerTimeAnnotation } from '../shared/trigger-times.ts';

export const mirroredBy = 'endpointslicemirroring-controller.k8s.io';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether they are meant for clients: not those that say no, and not locks of leader election. */
export const mayBeMirrored = ({ metadata: { labels, annotations } }: Endpoints): boolean =>
  labels?.[skipLabel] !== 'true' && annotations?.[leaderAnnotation] === undefined;

/** Services with a selector have slices of their own. */
export const isForMirroring = ({ spec }: Service): boolean => Object.keys(spec?.selector ?? {}).length === 0;

export interface Mirrored {
  readonly changes: SliceChanges;
  readonly endpoints: number;
  /** Addresses that are no IP addresses. */
  readonly invalid: number;
  /** Those, and the ones above the bound. */
  readonly skipped: number;
  readonly counts: { added: number; updated: number; removed: number };
}

interface Group {
  readonly family: IpFamily;
  readonly ports: readonly SlicePort[];
  readonly endpoints: Map<string, Endpoint>;
}

/** @param slices those of this controller for the Endpoints */
export function mirrorOf(endpoints: Endpoints, slices: readonly EndpointSlice[], maxPerSubset: number): Mirrored {
  const { groups, invalid, skipped } = groupsOf(endpoints, maxPerSubset);
  const changes = noChanges();
  const counts = { added: 0, updated: 0, removed: 0 };
  const existing = grouped(slices, ({ addressType, ports = [] }) => keyOf(addressType as IpFamily, ports));
  for (const [key, unwanted] of existing) if (!groups.has(key)) changes.remove.push(...unwanted);
  for (const [key, group] of groups) {
    const [first, ...others] = existing.get(key) ?? [];
    changes.remove.push(...others);
    const found = differences(first, group);
    counts.added += found.added;
    counts.updated += found.updated;
    counts.removed += found.removed;
    const isSame = found.added + found.updated + found.removed === 0;
    const wanted = sliceOf(endpoints, group, maxPerSubset);
    if (first === undefined) changes.create.push(wanted);
    else if (isSame && hasMetadataOf(first, wanted)) changes.unchanged.push(first);
    else changes.update.push(withMetadataOf(wanted, first));
  }
  reuseSlices({ ...endpoints, apiVersion: 'v1', kind: 'Endpoints' }, changes);
  const total = [...groups.values()].reduce((sum, group) => sum + group.endpoints.size, 0);
  return { changes, endpoints: total, invalid, skipped, counts };
}

function groupsOf(
  { subsets = [] }: Endpoints,
  maxPerSubset: number,
): { readonly groups: ReadonlyMap<string, Group>; readonly invalid: number; readonly skipped: number } {
  const groups = new Map<string, Group>();
  let invalid = 0;
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const slicePorts = ports.map(portOf);
    let added = 0;
    const add = (address: EndpointAddress, ready: boolean): void => {
      if (added >= maxPerSubset) return;
      const ip = parseIp(address.ip ?? '');
      if (ip === undefined) return void invalid++;
      added++;
      const family = ip.family === 4 ? 'IPv4' : 'IPv6';
      const key = keyOf(family, slicePorts);
      const group = groups.get(key) ?? { family, ports: slicePorts, endpoints: new Map<string, Endpoint>() };
      groups.set(key, group);
      const endpoint = endpointOf(address, formatIp(ip), ready);
      group.endpoints.set(identity(endpoint), endpoint);
    };
    for (const address of addresses) add(address, true);
    for (const address of notReadyAddresses) add(address, false);
    skipped += addresses.length + notReadyAddresses.length - added;
  }
  return { groups, invalid, skipped };
}

const portOf = ({ name = '', port, protocol = 'TCP', appProtocol }: EndpointPort): SlicePort => ({
  name,
  protocol,
  port: port!,
  ...(appProtocol === undefined ? {} : { appProtocol }),
});

const endpointOf = (address: EndpointAddress, ip: string, ready: boolean): Endpoint => {
  const { hostname = '', nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
};

/** The same for the same ports in any order. */
const keyOf = (family: IpFamily, ports: readonly SlicePort[]): string =>
  `${family} ${ports
    .map(({ name = '', protocol, port, appProtocol = '' }) => `${name}/${protocol}/${port}/${appProtocol}`)
    .sort()
    .join()}`;

const identity = ({ addresses = [], hostname = '', targetRef }: Endpoint): string =>
  `${addresses.join()} ${hostname} ${targetRef?.namespace}/${targetRef?.name} ${targetRef?.uid}`;

function differences(slice: EndpointSlice | undefined, { endpoints }: Group): Mirrored['counts'] {
  const before = slice?.endpoints ?? [];
  let kept = 0;
  let updated = 0;
  for (const endpoint of before) {
    const wanted = endpoints.get(identity(endpoint));
    if (wanted === undefined) continue;
    kept++;
    if (!isEqual(wanted, endpoint)) updated++;
  }
  return { added: endpoints.size - kept, updated, removed: before.length - kept };
}

function sliceOf(endpoints: Endpoints, { family, ports, endpoints: wanted }: Group, max: number): EndpointSlice {
  const { name, namespace, labels, annotations } = endpoints.metadata;
  const { [triggerTimeAnnotation]: _, [lastAppliedAnnotation]: __, ...kept } = annotations ?? {};
  return {
    metadata: {
      generateName: `${name}-`,
      namespace: namespace!,
      labels: { ...labels, [serviceNameLabel]: name!, [managedByLabel]: mirroredBy },
      annotations: kept,
      ownerReferences: [controllerReference({ ...endpoints, apiVersion: 'v1', kind: 'Endpoints' })],
    },
    addressType: family,
    endpoints: [...wanted.values()].slice(0, max),
    ports: [...ports],
  };
}

const hasMetadataOf = ({ metadata }: EndpointSlice, wanted: EndpointSlice): boolean =>
  isEqual(metadata.labels, wanted.metadata.labels) && isEqual(metadata.annotations, wanted.metadata.annotations);

function withMetadataOf(wanted: EndpointSlice, { metadata }: EndpointSlice): EndpointSlice {
  const { generateName: _, ...rest } = wanted.metadata;
  return { ...wanted, metadata: { ...metadata, ...rest } };
}
