import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { Encryption } from '../../storage/encryption/encryption.ts';
import { createEncryptionMetrics } from '../metrics/encryption-metrics.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

/** Undefined where values are stored as they are. */
export async function openEncryption(
  { config: { storage, log }, metrics, serverId, featureEnabled }: SharedDependencies,
  cleanup: CleanupStack,
): Promise<Encryption | undefined> {
  if (storage.encryption === undefined) return undefined;
  const encryption = await Encryption.open({
    ...storage.encryption,
    kmsV1: featureEnabled('KMSv1'),
    observer: createEncryptionMetrics(metrics.registry, serverId),
    log,
  });
  cleanup.add(() => encryption.close());
  return encryption;
}
