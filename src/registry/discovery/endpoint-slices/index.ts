import { setEndpointSliceDefaults } from '../../../api/discovery/endpoint-slices/defaults.ts';
import { endpointSliceCells } from '../../../api/discovery/endpoint-slices/table.ts';
import { fromOldSlice, toOldSlice } from '../../../api/discovery/endpoint-slices/v1beta1.ts';
import type { EndpointSlice } from '../../../api/gen/types/discovery-v1.ts';
import type { EndpointSlice as OldEndpointSlice } from '../../../api/gen/types/discovery-v1beta1.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { defineResource, type ResourceDefinition } from '../../strategy.ts';
import { endpointSliceStrategy } from './strategy.ts';

export const definitions: ResourceDefinition[] = [
  defineResource<EndpointSlice>({
    group: 'discovery.k8s.io',
    resource: 'endpointslices',
    versions: {
      v1: { defaults: (slice) => setEndpointSliceDefaults(slice as EndpointSlice) },
      v1beta1: {
        defaults: (slice) => setEndpointSliceDefaults(slice as EndpointSlice),
        toStorage: (slice: KubeObject) => fromOldSlice(slice as OldEndpointSlice),
        fromStorage: (slice: KubeObject) => toOldSlice(slice as EndpointSlice),
      },
    },
    strategy: endpointSliceStrategy,
    table: { cells: (slice, { now }) => endpointSliceCells(slice, now) },
  }),
];
