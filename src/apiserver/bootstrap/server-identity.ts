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
import { publishStorageVersions, storageVersionsIntervalMs } from './storage-versions.ts';

export interface ServerIdentityOptions {
  readonly writer: LoopbackClient;
  readonly registry: RegistryCatalog;
  readonly featureEnabled: (gate: string) => boolean;
  readonly hostname: string;
  /** Of this run of the server. */
  readonly serverId: string;
  readonly now: () => Date;
}

/** Each to be repeated so often, from the moment on when the bootstrap objects are there. */
export function serverIdentityTasks(
  options: ServerIdentityOptions,
): readonly { readonly everyMs: number; run(): Promise<void> }[] {
  const { writer, registry, featureEnabled, hostname } = options;
  if (!featureEnabled('APIServerIdentity') || !writer.isServed({ group: 'coordination.k8s.io', resource: 'leases' }))
    return [];
  const hasVersions =
    featureEnabled('StorageVersionAPI') &&
    writer.isServed({ group: 'internal.apiserver.k8s.io', resource: 'storageversions' });
  const publish = async (): Promise<void> => {
    // The versions of a server without a lease are taken out by the garbage collector.
    await renewIdentity(options);
    await publishStorageVersions({ ...options, registry, apiServerID: identityOf(hostname) });
  };
  return [
    { everyMs: identityRenewMs, run: () => renewIdentity(options) },
    { everyMs: identityCollectionMs, run: () => collectIdentities(options) },
    ...(hasVersions ? [{ everyMs: storageVersionsIntervalMs, run: publish }] : []),
  ];
}
