/**
 * The certificates of ClusterTrustBundles, as one file of a projected volume.
 * @see {@link https://kubernetes.io/docs/concepts/storage/projected-volumes/#clustertrustbundle | clusterTrustBundle
 *   projected volumes}
 */
import type { ClusterTrustBundle } from '../../../api/gen/types/certificates-v1alpha1.ts';
import type { ClusterTrustBundleProjection } from '../../../api/gen/types/core-v1.ts';
import { matchesLabels, requirementsOf } from '../../../machinery/label-selector.ts';
import type { ApiObjects } from '../../pods/api-objects.ts';
import { VolumeError } from '../volumes.ts';

/** Throws a `VolumeError` where there are none, unless they are optional. */
export async function trustAnchors(
  { name, signerName, labelSelector, optional = false }: ClusterTrustBundleProjection,
  { trustBundle, trustBundlesOf }: Pick<ApiObjects, 'trustBundle' | 'trustBundlesOf'>,
  signal?: AbortSignal,
): Promise<string> {
  if (name !== undefined) {
    const bundle = await trustBundle(name, signal);
    if (bundle !== undefined) return normalized([bundle]);
    if (optional) return '';
    throw new VolumeError(
      `while getting ClusterTrustBundle: clustertrustbundles.certificates.k8s.io ${JSON.stringify(name)} not found`,
    );
  }
  const selector = requirementsOf(labelSelector);
  const all = await trustBundlesOf(signerName ?? '', signal);
  const bundles = all.filter(({ metadata }) => matchesLabels(selector, metadata.labels));
  if (bundles.length > 0) return normalized(bundles);
  if (optional) return '';
  throw new VolumeError('combination of signerName and labelSelector matched zero ClusterTrustBundles');
}

const certificate = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** Each certificate once, without what stands between them, in an order that does not depend on that of bundles. */
function normalized(bundles: readonly ClusterTrustBundle[]): string {
  const bodies = bundles.flatMap(({ spec }) =>
    [...(spec.trustBundle ?? '').matchAll(certificate)].map(([, body = '']) => body.replace(/\s+/g, '')),
  );
  return [...new Set(bodies)]
    .sort()
    .map((body) => {
      const lines = body.match(/.{1,64}/g) ?? [];
      return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
    })
    .join('');
}
