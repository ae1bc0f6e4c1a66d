/** What pods refer to on a node without an API server: nothing but the node itself. */
import type { ApiObjects } from './api-objects.ts';

const absent = (): Promise<never> => Promise.reject(new Error('this node has no API server'));

export const noObjects = (allocatable: () => Readonly<Record<string, string>>): ApiObjects => ({
  configMap: absent,
  secret: absent,
  claim: absent,
  persistentVolume: absent,
  csiDriver: () => Promise.resolve(undefined),
  volumeAttachment: absent,
  trustBundle: absent,
  trustBundlesOf: absent,
  claimExpanded: absent,
  volumesAttached: () => [],
  writeVolumesInUse: absent,
  token: absent,
  namedObjects: (_, { configMaps, secrets }) =>
    configMaps.size + secrets.size > 0
      ? absent()
      : Promise.resolve({ configMap: () => undefined, secret: () => undefined }),
  runtimeHandler: absent,
  services: () => [],
  allocatable,
});
