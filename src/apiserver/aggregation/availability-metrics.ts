import { Counter, Gauge, type Registry } from 'prom-client';

export interface AvailabilityObserver {
  /** How an API is now. @param reason set when it has just become unavailable */
  found(name: string, isAvailable: boolean, reason: string | undefined): void;
  gone(name: string): void;
}

export function createAvailabilityMetrics(registry: Registry): AvailabilityObserver {
  const registers = [registry];
  const unavailable = new Gauge({
    name: 'aggregator_unavailable_apiservice',
    help: 'Whether an APIService is unavailable, by its name.',
    labelNames: ['name'],
    registers,
  });
  const total = new Counter({
    name: 'aggregator_unavailable_apiservice_total',
    help: 'How often an APIService became unavailable, by its name and the reason.',
    labelNames: ['name', 'reason'],
    registers,
  });
  return {
    found(name, isAvailable, reason) {
      unavailable.set({ name }, isAvailable ? 0 : 1);
      if (reason !== undefined) total.inc({ name, reason });
    },
    gone: (name) => unavailable.remove({ name }),
  };
}
