import { featureGateStates } from '../../api/feature-gates.ts';
import { systemClock } from '../../base/clock.ts';
import type { HealthChecks } from '../../server/health.ts';
import { createProcessMetrics } from '../../server/metrics/process-metrics.ts';
import type { Encryption } from '../../storage/encryption/encryption.ts';
import { createHealthChecks } from '../health/health-checks.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Hooks } from './post-start-hooks.ts';
import type { Resources } from './resources.ts';

/** The checks of `/healthz`, `/livez` and `/readyz`; each result is a metric. */
export function createObservedHealthChecks(
  { config, metrics, lifecycle }: SharedDependencies,
  encryption: Encryption | undefined,
  { registry }: Resources,
  { postStartHooks }: Hooks,
): HealthChecks {
  const { version, featureGates, storage, serving } = config;
  const processMetrics = createProcessMetrics(metrics.registry, version, featureGateStates(featureGates));
  return createHealthChecks({
    store: storage.store,
    healthTimeoutMs: storage.healthTimeoutMs,
    readyTimeoutMs: storage.readyTimeoutMs,
    registry,
    encryption,
    livezGraceMs: serving.livezGraceMs,
    clock: systemClock,
    observe: processMetrics.checked,
    hooks: postStartHooks.checks,
    log: config.log,
    isStopping: () => lifecycle.isStopping,
  });
}
