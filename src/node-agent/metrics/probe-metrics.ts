/** `/metrics/probes`: how the probes of containers came out. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pod } from '../../api/gen/types/core-v1.ts';

export type ProbeOutcome = 'successful' | 'failed' | 'unknown';

/** Told of each check. */
export interface ProbeObserver {
  /** @param kind `liveness` @param seconds how long the check took */
  checked(pod: Pod, container: string, kind: string, outcome: ProbeOutcome, seconds: number): void;
  /** The container is probed no more: its series end. */
  ended(pod: Pod, container: string, kind: string): void;
}

const titles: Readonly<Record<string, string>> = { liveness: 'Liveness', readiness: 'Readiness', startup: 'Startup' };
const outcomes: readonly ProbeOutcome[] = ['successful', 'failed', 'unknown'];
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface ProbeMetrics {
  readonly registry: Registry;
  readonly observer: ProbeObserver;
}

export function createProbeMetrics(): ProbeMetrics {
  const registry = new Registry();
  const registers = [registry];
  const total = new Counter({
    name: 'prober_probe_total',
    help: '[BETA] Checks of containers by their outcome.',
    labelNames: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
    registers,
  });
  const duration = new Histogram({
    name: 'prober_probe_duration_seconds',
    help: '[ALPHA] How long checks of containers took.',
    labelNames: ['probe_type', 'container', 'pod', 'namespace'],
    buckets,
    registers,
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: '[ALPHA] When the process was started, in seconds since 1970.',
    registers,
  }).set(performance.timeOrigin / 1000);
  const labelsOf = ({ metadata }: Pod, container: string, kind: string) => ({
    probe_type: titles[kind] ?? kind,
    container,
    pod: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
  });
  return {
    registry,
    observer: {
      checked(pod, container, kind, outcome, seconds) {
        const labels = labelsOf(pod, container, kind);
        total.inc({ ...labels, result: outcome, pod_uid: pod.metadata.uid ?? '' });
        if (outcome !== 'unknown') duration.observe(labels, seconds);
      },
      ended(pod, container, kind) {
        const labels = labelsOf(pod, container, kind);
        for (const result of outcomes) total.remove({ ...labels, result, pod_uid: pod.metadata.uid ?? '' });
        duration.remove(labels);
      },
    },
  };
}
