/** Who sends a request, and what the sender may do. */
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { type Authentication, createAuthentication } from '../authn/authentication.ts';
import { type AccountKeys, openAccountKeys } from '../authn/service-accounts/account-keys.ts';
import { type Authorization, createAuthorization } from '../authz/authorization.ts';
import { legacyTokenTracking } from '../bootstrap/legacy-token-tracking.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';

export interface Security {
  readonly authorization: Authorization;
  /** Undefined where there are no service accounts. */
  readonly accountKeys: AccountKeys | undefined;
  readonly authentication: Authentication;
}

export async function openSecurity(
  { config, metrics, featureEnabled, now }: SharedDependencies,
  { stores, decode, objects, writer, webhooks }: Loopback,
  cleanup: CleanupStack,
): Promise<Security> {
  const { log } = config;
  const authorization = createAuthorization({
    config: config.authorization,
    registry: stores,
    decode,
    log,
    featureEnabled,
    metrics: metrics.authorization,
    webhooks,
  });
  cleanup.add(() => authorization.stop());
  const accountKeys = await openAccountKeys(config.authentication.serviceAccounts, {
    registry: metrics.registry,
    log,
    signal: config.signal,
  });
  cleanup.add(() => accountKeys?.close());
  const authentication = createAuthentication(config.authentication, {
    accountKeys,
    objects,
    metrics: metrics.authentication,
    webhooks,
    log,
    onLegacyTokenUse: legacyTokenTracking({ writer, now, log }),
  });
  cleanup.add(() => authentication.close());
  return { authorization, accountKeys, authentication };
}
