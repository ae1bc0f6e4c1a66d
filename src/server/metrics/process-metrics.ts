/** What every component of a cluster tells of itself: its build, its feature gates, its health checks. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { VersionInfo } from '../../base/version.ts';
import type { HealthEndpoint } from '../health.ts';

export interface FeatureGateState {
  readonly name: string;
  readonly stage: 'alpha' | 'beta' | 'ga' | 'deprecated';
  readonly isOn: boolean;
}

export interface ProcessMetrics {
  checked(name: string, endpoint: HealthEndpoint, healthy: boolean): void;
}

/** @param gates those that the component knows */
export function createProcessMetrics(
  registry: Registry,
  version: VersionInfo,
  gates: Iterable<FeatureGateState>,
): ProcessMetrics {
  const registers = [registry];
  const build = new Gauge({
    name: 'kubernetes_build_info',
    help: 'Always 1; the labels say what was built, and when.',
    registers,
    labelNames: [
      'major',
      'minor',
      'git_version',
      'git_commit',
      'git_tree_state',
      'build_date',
      'go_version',
      'compiler',
      'platform',
    ],
  });
  const { major, minor, compiler, platform } = version;
  build.set(
    {
      major,
      minor,
      git_version: version.gitVersion,
      git_commit: version.gitCommit,
      git_tree_state: version.gitTreeState,
      build_date: version.buildDate,
      go_version: version.goVersion,
      compiler,
      platform,
    },
    1,
  );
  const features = new Gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Whether a feature gate is on, by its stage.',
    labelNames: ['name', 'stage'],
    registers,
  });
  for (const { name, stage, isOn } of gates)
    features.set({ name, stage: stage === 'ga' ? '' : stage.toUpperCase() }, isOn ? 1 : 0);
  const health = new Gauge({
    name: 'kubernetes_healthcheck',
    help: 'Whether a health check passed when it was last asked for.',
    labelNames: ['name', 'type'],
    registers,
  });
  const checks = new Counter({
    name: 'kubernetes_healthchecks_total',
    help: 'Health checks that were asked for, by what came out.',
    labelNames: ['name', 'type', 'status'],
    registers,
  });
  return {
    checked(name, endpoint, healthy) {
      health.set({ name, type: endpoint }, healthy ? 1 : 0);
      checks.inc({ name, type: endpoint, status: healthy ? 'success' : 'error' });
    },
  };
}
