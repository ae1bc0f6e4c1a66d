/** Values that every part of a server needs. None of them is opened, and none is added later. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isGateOn } from '../../api/feature-gates.ts';
import type { GroupVersionInfo } from '../../api/resources.ts';
import { Lifecycle } from '../../server/lifecycle.ts';
import type { ApiServerConfig } from '../config.ts';
import { Metrics } from '../metrics/metrics.ts';
import { servedGroupVersions } from './served-group-versions.ts';
import { showFileReloads } from '../../server/metrics/file-reload-metrics.ts';

export interface SharedDependencies {
  readonly config: ApiServerConfig;
  /** In labels of metrics: which of several servers it is. */
  readonly serverId: string;
  /** Of the machine, by which other servers know this one. */
  readonly hostname: string;
  readonly metrics: Metrics;
  readonly lifecycle: Lifecycle;
  /** What the server itself serves, in the order of discovery. */
  readonly groupVersions: readonly GroupVersionInfo[];
  readonly featureEnabled: (gate: string) => boolean;
  readonly now: () => Date;
}

export function createSharedDependencies(config: ApiServerConfig): SharedDependencies {
  const serverId = randomUUID();
  const metrics = new Metrics({ settings: config.metrics, serverId });
  if (config.files !== undefined) showFileReloads(metrics.registry, config.files);
  if (config.egress !== undefined) config.egress.observe = metrics.dials;
  return {
    config,
    serverId,
    hostname: config.hostname ?? hostname(),
    metrics,
    lifecycle: new Lifecycle(),
    groupVersions: servedGroupVersions(config),
    featureEnabled: (gate) => isGateOn(gate, config.featureGates),
    now: () => new Date(),
  };
}
