/**
 * Several sources in one volume; among them tokens of the pod's service account, which are renewed in time.
 * @see {@link https://kubernetes.io/docs/concepts/storage/projected-volumes/ | Projected Volumes}
 */
import type { Pod, VolumeProjection } from '../../../api/gen/types/core-v1.ts';
import type { PayloadFile } from '../atomic-writer.ts';
import { readConfigMap } from '../config-map/config-map.ts';
import { configMapFiles, downwardFiles, type Files, secretFiles } from '../payload/payload.ts';
import { writePayload } from '../payload/payload-volume.ts';
import { readSecret } from '../secret/secret.ts';
import { fsGroupOf, type VolumeKind, type VolumeRequest } from '../volume-kind.ts';
import { VolumeError } from '../volumes.ts';
import type { PodTokens } from './pod-tokens.ts';
import { trustAnchors } from './trust-anchors.ts';

/** @param hasTrustBundles whether the gate is on */
export const projected = (tokens: PodTokens, hasTrustBundles: boolean): VolumeKind => ({
  plugin: 'kubernetes.io~projected',
  async setUp(request) {
    const { sources = [], defaultMode = 0o644 } = request.volume.projected ?? {};
    const payload = new Map<string, PayloadFile>();
    for (const source of sources)
      for (const [path, file] of await filesOf(source, request, { defaultMode, tokens, hasTrustBundles }))
        payload.set(path, file);
    return writePayload(request, payload, { inMemory: true });
  },
});

interface ProjectionParts {
  readonly defaultMode: number;
  readonly tokens: PodTokens;
  readonly hasTrustBundles: boolean;
}

async function filesOf(
  { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle }: VolumeProjection,
  request: VolumeRequest,
  { defaultMode, tokens, hasTrustBundles }: ProjectionParts,
): Promise<Files> {
  const { pod, objects, podIPs, hostIPs, signal } = request;
  if (configMap !== undefined) {
    const { name = '', items, optional = false } = configMap;
    const map = await readConfigMap(request, name, optional);
    return configMapFiles(map, items, { defaultMode, isOptional: optional });
  }
  if (secret !== undefined) {
    const { name = '', items, optional = false } = secret;
    const object = await readSecret(request, name, optional);
    return secretFiles(object, items, { defaultMode, isOptional: optional });
  }
  if (downwardAPI !== undefined)
    return downwardFiles(downwardAPI.items, pod, { podIPs, hostIPs }, objects.allocatable(), defaultMode);
  if (serviceAccountToken !== undefined) {
    const { audience = '', expirationSeconds = 3600, path = '' } = serviceAccountToken;
    const token = await tokens.get(pod, { audience, expirationSeconds: Number(expirationSeconds) });
    return [[path, { data: Buffer.from(token), ...tokenRights(pod, defaultMode) }]];
  }
  if (clusterTrustBundle !== undefined) {
    if (!hasTrustBundles)
      throw new VolumeError('ClusterTrustBundle projection is not supported in static kubelet mode');
    const anchors = await trustAnchors(clusterTrustBundle, objects, signal);
    return [[clusterTrustBundle.path ?? '', { data: Buffer.from(anchors), mode: defaultMode }]];
  }
  return [];
}

/** Only who runs in the pod reads the token, where that is known. */
export function tokenRights(pod: Pod, defaultMode: number): { readonly mode: number; readonly uid?: number } {
  if (fsGroupOf(pod) !== undefined) return { mode: 0o600 };
  const { spec } = pod;
  const users = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
  );
  const [first] = users;
  if (first === undefined || users.some((user) => user === undefined || Number(user) !== Number(first)))
    return { mode: defaultMode };
  return { mode: 0o600, uid: Number(first) };
}
