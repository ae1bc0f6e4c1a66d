/**
 * For which zones endpoints should be used: as services ask for it by `trafficDistribution`, or by the annotation of
 * topology aware routing, which goes first.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/service/#traffic-distribution | Traffic
 *   distribution}
 */
import type { Endpoint, EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import type { Service } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { SliceChanges } from '../shared/slice-changes.ts';
import { allocate, type Allocations, type Transfers, transfersOf, type ZoneCounts } from './allocations.ts';
import type { ZoneRatios } from './zone-cpu.ts';

const topologyModeAnnotation = 'service.kubernetes.io/topology-mode';
/** Of before there were modes. */
const hintsAnnotation = 'service.kubernetes.io/topology-aware-hints';

/** Whether the zones follow from the CPU of the nodes. */
export function isTopologyAware({ metadata: { annotations = {} } }: Service): boolean {
  const mode = annotations[hintsAnnotation] ?? annotations[topologyModeAnnotation];
  return mode === 'Auto' || mode === 'auto';
}

export const trafficDistributionOf = (service: Service): string | undefined =>
  service.spec?.trafficDistribution === 'PreferClose' && !isTopologyAware(service) ? 'PreferClose' : undefined;

/** The changes with hints as `trafficDistribution` says. Slices of which only hints change are updated too. */
export function withHints(service: Service, changes: SliceChanges): SliceChanges {
  return hintedBy(changes, trafficDistributionOf(service) === undefined ? withoutHint : preferClose);
}

export interface TopologyHints {
  readonly changes: SliceChanges;
  /** Endpoints by the zone that they are for; absent when there are no hints. */
  readonly counts?: ZoneCounts;
  /** Why there are no hints. */
  readonly problem?: string;
}

/** The changes with hints by the CPU of zones: of one address type, all of whose slices are in `changes`. */
export function withTopologyHints(changes: SliceChanges, ratios: ZoneRatios | undefined): TopologyHints {
  const { create, update, unchanged } = changes;
  const refused = (problem: string): TopologyHints => ({ changes: hintedBy(changes, withoutHint), problem });
  const ready = [...create, ...update, ...unchanged].reduce((sum, slice) => sum + readyEndpoints(slice).length, 0);
  const allocations = allocate(ratios, ready);
  if (typeof allocations === 'string') return refused(allocations);
  const counts = new Map<string, number>();
  const kept = unchanged.filter((slice) => keepsHints(slice, allocations, counts));
  const writable = { create, update: [...update, ...unchanged.filter((slice) => !kept.includes(slice))] };
  const toHint = [...create, ...writable.update];
  for (const { zone = '' } of toHint.flatMap(readyEndpoints)) {
    if (zone === '') return refused('One or more endpoints do not have a zone specified');
    increase(counts, zone);
  }
  if (counts.size === 0) return refused('No hints allocated for zones');
  const hint = hinter(transfersOf(allocations, counts), counts);
  const hinted = (slice: EndpointSlice): EndpointSlice => ({ ...slice, endpoints: (slice.endpoints ?? []).map(hint) });
  const next = {
    create: writable.create.map(hinted),
    update: writable.update.map(hinted),
    remove: changes.remove,
    unchanged: kept,
  };
  return { changes: next, counts };
}

const increase = (counts: Map<string, number>, zone: string, by = 1): void =>
  void counts.set(zone, (counts.get(zone) ?? 0) + by);

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;
const readyEndpoints = ({ endpoints = [] }: EndpointSlice): Endpoint[] => endpoints.filter(isReady);

/** Whether the hints of a slice still fit, which then count. */
function keepsHints(slice: EndpointSlice, allocations: Allocations, counts: Map<string, number>): boolean {
  const zones = new Map<string, number>();
  for (const { hints } of readyEndpoints(slice)) {
    const { forZones = [] } = hints ?? {};
    if (forZones.length === 0) return false;
    for (const { name } of forZones) increase(zones, name ?? '');
  }
  for (const [zone, count] of zones) {
    const allocation = allocations.get(zone);
    if (allocation === undefined || count + (counts.get(zone) ?? 0) > allocation.maximum) return false;
  }
  for (const [zone, count] of zones) increase(counts, zone, count);
  return true;
}

/** Endpoints are for their own zone, unless it gives some to others. */
function hinter({ giving, receiving }: Transfers, counts: Map<string, number>): (endpoint: Endpoint) => Endpoint {
  const take = (zones: Map<string, number>, zone: string): void => {
    const left = zones.get(zone)! - 1;
    if (left === 0) zones.delete(zone);
    else zones.set(zone, left);
  };
  return (endpoint) => {
    if (!isReady(endpoint)) return withoutHint(endpoint);
    const zone = endpoint.zone!;
    const [receiver] = receiving.keys();
    if (receiver === undefined || !giving.has(zone)) return forZone(endpoint, zone);
    take(giving, zone);
    take(receiving, receiver);
    increase(counts, zone, -1);
    increase(counts, receiver);
    return forZone(endpoint, receiver);
  };
}

const forZone = (endpoint: Endpoint, name: string): Endpoint => ({ ...endpoint, hints: { forZones: [{ name }] } });

/** Clients use the endpoints of their own zone. */
const preferClose = (endpoint: Endpoint): Endpoint =>
  endpoint.zone === undefined || !isReady(endpoint) ? withoutHint(endpoint) : forZone(endpoint, endpoint.zone);

function withoutHint(endpoint: Endpoint): Endpoint {
  if (endpoint.hints === undefined) return endpoint;
  const { hints: _, ...rest } = endpoint;
  return rest;
}

function hintedBy(changes: SliceChanges, hint: (endpoint: Endpoint) => Endpoint): SliceChanges {
  const hinted = (slice: EndpointSlice): EndpointSlice => ({ ...slice, endpoints: (slice.endpoints ?? []).map(hint) });
  const unchanged: EndpointSlice[] = [];
  const update = changes.update.map(hinted);
  for (const slice of changes.unchanged) {
    const next = hinted(slice);
    if (isEqual(next.endpoints, slice.endpoints ?? [])) unchanged.push(slice);
    else update.push(next);
  }
  return { create: changes.create.map(hinted), update, remove: changes.remove, unchanged };
}
