/** Counts containers that are to have a part of a resource for themselves. */
import { Counter, type Registry } from 'prom-client';

export interface PinningObserver {
  /** A container asks for a part of its own. */
  asked(): void;
  /** It does not get it. */
  failed(): void;
}

export function countPinning(registry: Registry, manager: 'cpu' | 'memory', resource: string): PinningObserver {
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `kubelet_${manager}_manager_pinning_${name}_total`, help, registers: [registry] });
  const requests = counter('requests', `Containers that asked for ${resource} of their own.`);
  const errors = counter('errors', `Containers that did not get ${resource} of their own.`);
  return { asked: () => requests.inc(), failed: () => errors.inc() };
}
