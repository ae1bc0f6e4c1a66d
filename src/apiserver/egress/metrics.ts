import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import type { ObserveDial } from './dialers.ts';

export function createEgressMetrics(registry: MetricRegistry): ObserveDial {
  const started = new SeriesCounter({
    name: 'apiserver_egress_dialer_dial_start_total',
    help: 'Connections that were begun through a tunnel, by protocol and transport.',
    registry,
  });
  const failed = new SeriesCounter({
    name: 'apiserver_egress_dialer_dial_failure_count',
    help:
      'Connections through a tunnel that failed, by protocol, transport, and stage: connect (to the tunnel server) ' +
      'or proxy (from there).',
    registry,
  });
  const duration = new SeriesHistogram({
    name: 'apiserver_egress_dialer_dial_duration_seconds',
    help: 'How long it took to connect through a tunnel, in seconds, by protocol and transport.',
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
    registry,
  });
  return (observation) => {
    const { protocol, transport } = observation;
    if (observation.event === 'started') started.series({ protocol, transport }).inc();
    else if (observation.event === 'failed') failed.series({ protocol, stage: observation.stage, transport }).inc();
    else duration.series({ protocol, transport }).observe(observation.seconds);
  };
}
