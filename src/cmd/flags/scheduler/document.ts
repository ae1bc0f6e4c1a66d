/**
 * The KubeSchedulerConfiguration document as it is in force: what was given, with all that was left out.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/ | kube-scheduler Configuration
 *   (v1)}
 */
import { parseYaml } from '../../../machinery/json/yaml.ts';
import { isObject, type JsonObject } from '../../../machinery/value.ts';
import { type LoadedConfig, loadSchedulerConfig } from '../../../scheduler/config/load.ts';
import type { SchedulerFeatures } from '../../../scheduler/config/types.ts';
import { formatDuration } from '../duration.ts';

export interface GivenDocument extends LoadedConfig {
  /** How pods are scheduled, as it was written. */
  readonly scheduling: JsonObject;
}

export type ProcessSettings = LoadedConfig['process'];

const apiVersion = 'kubescheduler.config.k8s.io/v1';
const kind = 'KubeSchedulerConfiguration';

/** Throws for what is no such document, with every problem there is. */
export function parseDocument(text: string, features: SchedulerFeatures = {}): GivenDocument {
  const loaded = loadSchedulerConfig(text, features);
  const { value } = parseYaml(text);
  const { profiles, extenders } = isObject(value) ? value : {};
  return {
    ...loaded,
    scheduling: { ...(profiles === undefined ? {} : { profiles }), ...(extenders === undefined ? {} : { extenders }) },
  };
}

/** A document that says nothing. */
export const emptyDocument = (features: SchedulerFeatures = {}): GivenDocument =>
  parseDocument(JSON.stringify({ apiVersion, kind }), features);

export const formatDocument = ({ process, scheduler, scheduling }: GivenDocument): JsonObject => ({
  apiVersion,
  clientConnection: { ...process.clientConnection },
  delayCacheUntilActive: process.delayCacheUntilActive,
  enableContentionProfiling: process.enableContentionProfiling,
  enableProfiling: process.enableProfiling,
  kind,
  leaderElection: {
    leaderElect: process.leaderElection.leaderElect,
    leaseDuration: formatDuration(process.leaderElection.leaseDurationMs),
    renewDeadline: formatDuration(process.leaderElection.renewDeadlineMs),
    resourceLock: process.leaderElection.resourceLock,
    resourceName: process.leaderElection.resourceName,
    resourceNamespace: process.leaderElection.resourceNamespace,
    retryPeriod: formatDuration(process.leaderElection.retryPeriodMs),
  },
  parallelism: process.parallelism,
  percentageOfNodesToScore: scheduler.percentageOfNodesToScore,
  podInitialBackoffSeconds: scheduler.podInitialBackoffSeconds,
  podMaxBackoffSeconds: scheduler.podMaxBackoffSeconds,
  profiles: scheduler.profiles.map(({ schedulerName }) => ({ schedulerName })),
  ...scheduling,
});
