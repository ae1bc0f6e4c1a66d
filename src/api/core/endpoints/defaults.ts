import type { Endpoints } from '../../gen/types/core-v1.ts';

export function setEndpointsDefaults({ subsets }: Endpoints): void {
  for (const { ports } of subsets ?? []) for (const port of ports ?? []) port.protocol ??= 'TCP';
}
