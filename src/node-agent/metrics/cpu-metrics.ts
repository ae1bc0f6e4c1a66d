/** CPUs that containers have for themselves, and those that the others share, by upstream's names. */
import { Gauge, type Registry } from 'prom-client';
import { countPinning, type PinningObserver } from './pinning.ts';

export interface CpuFigures {
  /** CPUs that containers have for themselves. */
  readonly exclusive: number;
  /** CPUs that containers could still have for themselves. */
  readonly shared: number;
}

export interface CpuObserver extends PinningObserver {
  /** A container got whole cores, because it can have nothing else. */
  readonly aligned?: (() => void) | undefined;
}

/** @param figures as they are when they are asked for */
export function createCpuMetrics(registry: Registry, figures: () => CpuFigures): PinningObserver {
  const gauge = (name: string, help: string, value: () => number): Gauge => {
    const own: Gauge = new Gauge({ name, help, registers: [registry], collect: () => own.set(value()) });
    return own;
  };
  gauge(
    'kubelet_cpu_manager_exclusive_cpu_allocation_count',
    'CPUs that containers have for themselves.',
    () => figures().exclusive,
  );
  gauge(
    'kubelet_cpu_manager_shared_pool_size_millicores',
    'CPUs that containers share, in thousandths.',
    () => figures().shared * 1000,
  );
  return countPinning(registry, 'cpu', 'CPUs');
}
