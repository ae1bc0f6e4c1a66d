/** When the machine last shut down with its pods ended in order, by upstream's names. */
import { Gauge, type Registry } from 'prom-client';

/** @param endMs undefined while pods still end. Both in milliseconds since 1970 */
export type ShutdownObserver = (startMs: number, endMs: number | undefined) => void;

export function createShutdownMetrics(registry: Registry): ShutdownObserver {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
  const start = gauge(
    'kubelet_graceful_shutdown_start_time_seconds',
    'When pods began to end for the last shutdown, in seconds since 1970.',
  );
  const end = gauge(
    'kubelet_graceful_shutdown_end_time_seconds',
    'When pods had ended for the last shutdown, in seconds since 1970; 0 while they end.',
  );
  return (startMs, endMs) => {
    start.set(startMs / 1000);
    end.set((endMs ?? 0) / 1000);
  };
}
