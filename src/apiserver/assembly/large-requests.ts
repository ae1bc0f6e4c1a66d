import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { LargeRequests } from '../large-requests/large-requests.ts';
import { largeRequestsConfig, resourceOf, storesByName } from '../large-requests/setup.ts';
import type { Foundation } from './foundation.ts';
import type { Security } from './security.ts';
import type { ResourceStorage } from './storage.ts';

/** The thread for large requests starts with the first one. */
export function createLargeRequests(
  { config, metrics, groupVersions }: Foundation,
  { storeOf, objectStoreOf }: ResourceStorage,
  { authorization }: Security,
  cleanup: CleanupStack,
): LargeRequests {
  const largeRequests = new LargeRequests({
    config: largeRequestsConfig(config, groupVersions),
    storeOf: storesByName({
      objects: (group, resource) => objectStoreOf(resourceOf(groupVersions, group, resource)),
      plain: storeOf,
    }),
    authorizer: authorization.authorizer,
    admission: metrics.admission,
    log: config.log,
    ...(config.largeRequests === undefined ? {} : { limits: config.largeRequests }),
  });
  cleanup.add(() => largeRequests.close());
  return largeRequests;
}
