/** What a server does to be seen among the others: its identity lease, and the versions in which it stores objects. */
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import {
  collectIdentities,
  identityCollectionMs,
  identityOf,
  identityRenewMs,
  renewIdentity,
} from './identity-lease.ts';
import type { StorageVersionBarrier } from './storage-version-barrier.ts';
import { publishStorageVersions, storageVersionsIntervalMs, storageVersionsRetryMs } from './storage-versions.ts';

export interface ServerIdentityOptions {
  readonly writer: LoopbackClient;
  readonly registry: RegistryCatalog;
  readonly featureEnabled: (gate: string) => boolean;
  readonly hostname: string;
  /** Of this run of the server. */
  readonly serverId: string;
  readonly now: () => Date;
  /** Undefined: storage versions are not published. */
  readonly barrier: StorageVersionBarrier | undefined;
}

/** Work that is repeated as long as the server runs. */
export interface IdentityTask {
  readonly everyMs: number;
  run(): Promise<void>;
  /** How soon the task comes again after it failed; as usual when absent. */
  readonly retryMs?: number;
}

/** Each to be repeated so often, from the moment on when the bootstrap objects are there. */
export function serverIdentityTasks(options: ServerIdentityOptions): readonly IdentityTask[] {
  const { writer, featureEnabled, barrier } = options;
  if (!featureEnabled('APIServerIdentity') || !writer.isServed({ group: 'coordination.k8s.io', resource: 'leases' }))
    return [];
  return [
    { everyMs: identityRenewMs, run: () => renewIdentity(options) },
    { everyMs: identityCollectionMs, run: () => collectIdentities(options) },
    ...(barrier === undefined ? [] : [publishing(options, barrier)]),
  ];
}

function publishing(options: ServerIdentityOptions, barrier: StorageVersionBarrier): IdentityTask {
  const { registry, hostname } = options;
  return {
    everyMs: storageVersionsIntervalMs,
    retryMs: storageVersionsRetryMs,
    async run() {
      // The versions of a server without a lease are taken out by the garbage collector.
      await renewIdentity(options);
      await publishStorageVersions({ ...options, registry, barrier, apiServerID: identityOf(hostname) });
    },
  };
}
