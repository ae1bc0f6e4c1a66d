/** How often pods are judged by Pod Security, exempt from it, or cannot be judged. */
import type { Registry } from 'prom-client';
import { type CounterSeries, SeriesCounter } from '../../../server/metrics/series-counter.ts';
import { currentMinor } from '../../../api/emulated-version.ts';
import type { ObservePodSecurity } from './observations.ts';
import type { LevelVersion } from './policy.ts';

export function createPodSecurityMetrics(registry: Registry): ObservePodSecurity {
  const evaluations = new SeriesCounter({
    name: 'pod_security_evaluations_total',
    help: 'Pods and templates of pods that were judged, by the policy and what came of it.',
    registry,
  });
  const exemptions = new SeriesCounter({
    name: 'pod_security_exemptions_total',
    help: 'Requests that the configuration exempts.',
    registry,
  });
  const errors = new SeriesCounter({
    name: 'pod_security_errors_total',
    help: 'Requests whose policy could not be read; with fatal="false" they were judged by a stricter one.',
    registry,
  });
  /** Of evaluations, which every pod has one of. */
  const known = new Map<string, CounterSeries>();
  return (observation) => {
    const { operation, resource, subresource } = observation;
    const request = { request_operation: operation.toLowerCase(), resource, subresource };
    if (observation.what === 'exemption') return exemptions.series(request).inc();
    if (observation.what === 'error') return errors.series({ fatal: String(observation.isFatal), ...request }).inc();
    const { mode, policy, isAllowed } = observation;
    const version = versionLabel(policy);
    const key = `${mode} ${policy.level} ${version} ${isAllowed} ${operation} ${resource} ${subresource}`;
    let series = known.get(key);
    if (series === undefined) {
      series = evaluations.series({
        decision: isAllowed ? 'allow' : 'deny',
        policy_level: policy.level,
        policy_version: version,
        mode,
        ...request,
      });
      known.set(key, series);
    }
    series.inc();
  };
}

/** Namespaces may name any version: those to come are one. */
function versionLabel({ level, version }: LevelVersion): string {
  if (level === 'privileged' || version === 'latest') return 'latest';
  return version > currentMinor ? 'future' : `v1.${version}`;
}
