/** Version v1beta1 of endpoint slices, which is no longer served: the zone was one of the topology's labels. */
import type { Endpoint, EndpointSlice } from '../../gen/types/discovery-v1.ts';
import type { Endpoint as OldEndpoint, EndpointSlice as OldEndpointSlice } from '../../gen/types/discovery-v1beta1.ts';
import { createMap } from '../../../machinery/value.ts';

export const zoneLabel = 'topology.kubernetes.io/zone';
export const hostnameLabel = 'kubernetes.io/hostname';

export const fromOldSlice = (slice: OldEndpointSlice): EndpointSlice =>
  ({ ...slice, endpoints: slice.endpoints?.map(fromOldEndpoint) }) as EndpointSlice;

export const toOldSlice = (slice: EndpointSlice): OldEndpointSlice => ({
  ...slice,
  endpoints: slice.endpoints?.map(toOldEndpoint),
});

function fromOldEndpoint({ topology, ...members }: OldEndpoint): Endpoint {
  if (topology === undefined) return members;
  const { [zoneLabel]: zone, ...rest } = topology;
  const deprecatedTopology = Object.assign(createMap<string>(), rest);
  return {
    ...members,
    ...(zone === undefined ? {} : { zone }),
    ...(Object.keys(rest).length === 0 ? {} : { deprecatedTopology }),
  };
}

function toOldEndpoint({ deprecatedTopology, zone, ...members }: Endpoint): OldEndpoint {
  if (deprecatedTopology === undefined && zone === undefined) return members;
  const topology = Object.assign(createMap<string>(), deprecatedTopology);
  if (zone !== undefined) topology[zoneLabel] = zone;
  return { ...members, topology };
}
