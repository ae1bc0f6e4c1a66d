import type { StrategyContext } from '../strategy.ts';
import type { ResourceStore } from './resource-store.ts';
import type { WriteRequest } from './write.ts';

export interface InternalRequestOptions {
  readonly namespace: string;
  /** Empty for a create. */
  readonly name: string;
  readonly enabled: StrategyContext['enabled'];
  readonly signal?: AbortSignal;
}

/** A write that the server makes on its own account. */
export const internalRequest = (
  store: ResourceStore,
  { namespace, name, enabled, signal }: InternalRequestOptions,
): WriteRequest => ({
  namespace,
  name,
  subresource: '',
  dryRun: false,
  options: {},
  warn: () => false,
  ...(signal === undefined ? {} : { signal }),
  context: {
    now: new Date(),
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    enabled,
    apiVersion: store.storageVersion,
    allowPrivileged: true,
  },
});
