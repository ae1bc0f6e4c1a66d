/**
 * Divides the endpoints of a service over its slices with few writes: endpoints stay where they are, what is gone
 * leaves its slice, and what is new fills slices that are written anyhow before others.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#distribution-of-endpointslices |
 *   Distribution of EndpointSlices}
 */
import type { Endpoint, EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { noChanges, type SliceChanges } from '../shared/slice-changes.ts';

export interface Distribution {
  readonly existing: readonly EndpointSlice[];
  /** With the ports, address type and labels that all of them have; makes one without endpoints. */
  readonly newSlice: () => EndpointSlice;
  readonly wanted: readonly Endpoint[];
  readonly maxPerSlice: number;
  /** The labels that a slice should have. */
  readonly labelsOf: (slice: EndpointSlice) => Record<string, string>;
}

/** What an endpoint is found by in a slice: its address and its pod. */
const identity = ({ addresses, targetRef, hostname }: Endpoint): string =>
  `${addresses?.join()} ${targetRef?.namespace}/${targetRef?.name} ${targetRef?.uid} ${hostname ?? ''}`;

export interface Distributed extends SliceChanges {
  readonly added: number;
  readonly removed: number;
}

export function distribute({ existing, newSlice, wanted, maxPerSlice, labelsOf }: Distribution): Distributed {
  const missing = new Map(wanted.map((endpoint) => [identity(endpoint), endpoint]));
  const changes = noChanges();
  let removed = 0;
  const withLabels = (slice: EndpointSlice, endpoints: Endpoint[]): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, labels: labelsOf(slice) },
    endpoints,
  });
  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const kept: Endpoint[] = [];
    let isChanged = !isEqual(slice.metadata.labels ?? {}, labelsOf(slice));
    for (const endpoint of before) {
      const now = missing.get(identity(endpoint));
      if (now === undefined) continue;
      kept.push(now);
      isChanged ||= !isSame(endpoint, now);
      missing.delete(identity(endpoint));
    }
    removed += before.length - kept.length;
    if (kept.length === 0) changes.remove.push(slice);
    else if (isChanged || kept.length !== before.length) changes.update.push(withLabels(slice, kept));
    else changes.unchanged.push(slice);
  }
  const left = [...missing.values()];
  const added = left.length;
  const fill = (endpoints: Endpoint[]): void => void endpoints.push(...left.splice(0, maxPerSlice - endpoints.length));
  for (const slice of changes.update.toSorted((a, b) => b.endpoints!.length - a.endpoints!.length))
    fill(slice.endpoints!);
  while (left.length > 0) {
    const index = left.length < maxPerSlice ? fullestWithSpace(changes.unchanged, left.length, maxPerSlice) : -1;
    const slice =
      index < 0
        ? { ...newSlice(), endpoints: [] as Endpoint[] }
        : withLabels(changes.unchanged[index]!, [...(changes.unchanged[index]!.endpoints ?? [])]);
    fill(slice.endpoints!);
    if (index < 0) changes.create.push(slice);
    else {
      changes.unchanged.splice(index, 1);
      changes.update.push(slice);
    }
  }
  return { ...changes, added, removed };
}

/** Hints are given afterwards, to all slices together. */
function isSame(before: Endpoint, now: Endpoint): boolean {
  const { hints: _, ...first } = before;
  const { hints: __, ...second } = now;
  return isEqual(first, second);
}

/** The slice in which the fewest places stay free. */
function fullestWithSpace(slices: readonly EndpointSlice[], count: number, maxPerSlice: number): number {
  let best = -1;
  let bestLength = -1;
  for (const [index, { endpoints = [] }] of slices.entries())
    if (endpoints.length + count <= maxPerSlice && endpoints.length > bestLength)
      [best, bestLength] = [index, endpoints.length];
  return best;
}
