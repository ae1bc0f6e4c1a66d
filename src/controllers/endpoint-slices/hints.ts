/**
 * For which zones endpoints should be used, as services ask for it by `trafficDistribution`.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/service/#traffic-distribution | Traffic
 *   distribution}
 */
import type { Endpoint, EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import type { Service } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { SliceChanges } from './slices.ts';

/** The changes with hints. Slices of which only hints change are updated too. */
export function withHints(service: Service, changes: SliceChanges): SliceChanges {
  const hint = service.spec?.trafficDistribution === 'PreferClose' ? preferClose : without;
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

/** Clients use the endpoints of their own zone. */
function preferClose(endpoint: Endpoint): Endpoint {
  const { zone, conditions } = endpoint;
  if (zone === undefined || conditions.ready !== true) return without(endpoint);
  return { ...endpoint, hints: { forZones: [{ name: zone }] } };
}

function without(endpoint: Endpoint): Endpoint {
  if (endpoint.hints === undefined) return endpoint;
  const { hints: _, ...rest } = endpoint;
  return rest;
}
