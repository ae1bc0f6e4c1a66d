import { hostnameLabel } from '../../../api/discovery/endpoint-slices/v1beta1.ts';
import {
  validateEndpointSlice,
  validateEndpointSliceUpdate,
} from '../../../api/discovery/endpoint-slices/validation.ts';
import type { Endpoint, EndpointSlice } from '../../../api/gen/types/discovery-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const endpointSliceStrategy: ResourceStrategy<EndpointSlice> = {
  prepareForCreate(slice, { enabled }) {
    slice.metadata.generation = 1;
    dropHints(slice, undefined, enabled);
    dropTopology(slice, undefined);
  },
  validate: validateEndpointSlice,
  warningsOnCreate: ({ addressType }) =>
    addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],

  prepareForUpdate(slice, old, { enabled }) {
    // There is no spec: everything counts, and labels too, because they say which service the slice belongs to.
    if (!isEqual(countedParts(slice), countedParts(old)))
      slice.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
    dropHints(slice, old, enabled);
    dropTopology(slice, old);
  },
  validateUpdate: validateEndpointSliceUpdate,
};

const countedParts = ({ addressType, endpoints, ports, metadata: { labels } }: EndpointSlice): unknown[] => [
  addressType,
  endpoints,
  ports,
  labels,
];

function dropHints(slice: EndpointSlice, old: EndpointSlice | undefined, enabled: (gate: string) => boolean): void {
  if (enabled('TopologyAwareHints') || old?.endpoints?.some(({ hints }) => hints !== undefined) === true) return;
  for (const endpoint of slice.endpoints ?? []) endpoint.hints = undefined;
}

/**
 * Labels of version v1beta1 can be read and not written. A client that writes back what it read must not lose the name
 * of the node, which was one of them.
 */
function dropTopology(slice: EndpointSlice, old: EndpointSlice | undefined): void {
  if (old !== undefined && isEqual(old.endpoints, slice.endpoints)) return;
  const known = new Set((old?.endpoints ?? []).map(nodeLabel).filter((name) => name !== ''));
  for (const endpoint of slice.endpoints ?? []) {
    const name = nodeLabel(endpoint);
    if (endpoint.nodeName === undefined && known.has(name) && isDns1123Subdomain(name).length === 0)
      endpoint.nodeName = name;
    endpoint.deprecatedTopology = undefined;
  }
}

const nodeLabel = ({ deprecatedTopology }: Endpoint): string => deprecatedTopology?.[hostnameLabel] ?? '';
