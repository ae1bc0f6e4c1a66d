import type { EndpointSlice } from '../../gen/types/discovery-v1.ts';

/** For every version. */
export function setEndpointSliceDefaults({ ports }: Pick<EndpointSlice, 'ports'>): void {
  for (const port of ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}
