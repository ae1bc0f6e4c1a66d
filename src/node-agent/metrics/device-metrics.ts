/** Device plugins and what they give, by upstream's names. */
import { Counter, Histogram, type Registry } from 'prom-client';

export interface DeviceObserver {
  registered(resource: string): void;
  /** A plugin was asked for devices of a container. */
  allocated(resource: string, seconds: number): void;
}

export function createDeviceMetrics(registry: Registry): DeviceObserver {
  const labelNames = ['resource_name'];
  const registers = [registry];
  const registrations = new Counter({
    name: 'kubelet_device_plugin_registration_total',
    help: 'Registrations of device plugins.',
    labelNames,
    registers,
  });
  const allocations = new Histogram({
    name: 'kubelet_device_plugin_alloc_duration_seconds',
    help: 'How long device plugins took to give devices.',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return {
    registered: (resource) => registrations.inc({ resource_name: resource }),
    allocated: (resource, seconds) => allocations.observe({ resource_name: resource }, seconds),
  };
}
