/** In which order pods end when the machine shuts down, and how long each group has. Pure. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PriorityGracePeriod } from '../config/fields/pods.ts';

export interface ShutdownConfig {
  /** Milliseconds. */
  readonly shutdownGracePeriod: number;
  /** Milliseconds. */
  readonly shutdownGracePeriodCriticalPods: number;
  readonly shutdownGracePeriodByPodPriority: readonly PriorityGracePeriod[];
}

export interface ShutdownGroup {
  readonly graceSeconds: number;
  readonly pods: readonly Pod[];
}

const criticalPriority = 2_000_000_000;

/** Ascending; empty: pods are not ended. */
export function gracePeriods(config: ShutdownConfig): readonly PriorityGracePeriod[] {
  const { shutdownGracePeriod: all, shutdownGracePeriodCriticalPods: critical } = config;
  const byPriority = config.shutdownGracePeriodByPodPriority;
  if (byPriority.length > 0) return [...byPriority].sort((a, b) => a.priority - b.priority);
  if (all === 0) return [];
  return [
    { priority: 0, shutdownGracePeriodSeconds: Math.floor((all - critical) / 1000) },
    { priority: criticalPriority, shutdownGracePeriodSeconds: Math.floor(critical / 1000) },
  ];
}

/** Milliseconds that all groups take together. */
export const totalGraceMs = (config: ShutdownConfig): number =>
  gracePeriods(config).reduce((sum, { shutdownGracePeriodSeconds: seconds }) => sum + seconds * 1000, 0);

/** In the order in which they end, those without pods left out. */
export function shutdownGroups(config: ShutdownConfig, pods: readonly Pod[]): readonly ShutdownGroup[] {
  const periods = gracePeriods(config);
  const groupOf = ({ spec }: Pod): number =>
    Math.max(
      0,
      periods.findLastIndex(({ priority }) => priority <= (spec.priority ?? 0)),
    );
  return periods
    .map(({ shutdownGracePeriodSeconds: graceSeconds }, index) => ({
      graceSeconds,
      pods: pods.filter((pod) => groupOf(pod) === index),
    }))
    .filter((group) => group.pods.length > 0);
}
