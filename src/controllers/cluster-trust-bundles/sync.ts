/** Which ClusterTrustBundle has the authority of the API server. */
import { createHash } from 'node:crypto';
import type { ClusterTrustBundle } from '../../api/gen/types/certificates-v1alpha1.ts';
import type { Input } from '../../client/index.ts';

export const signerName = 'kubernetes.io/kube-apiserver-serving';
const hashBytes = 12;

/** Another authority is another bundle: what a pod has mounted does not change under its name. */
export function bundleOf(trustBundle: string): Input<ClusterTrustBundle> & { metadata: { name: string } } {
  const hash = createHash('sha256').update(trustBundle).digest().subarray(0, hashBytes).toString('hex');
  return { metadata: { name: `${signerName.replaceAll('/', ':')}:${hash}` }, spec: { signerName, trustBundle } };
}

export interface BundleActions {
  readonly create: boolean;
  readonly update: ClusterTrustBundle | undefined;
  /** Names. */
  readonly remove: readonly string[];
}

/** @param present all bundles of the signer */
export function bundleActions(present: readonly ClusterTrustBundle[], trustBundle: string): BundleActions {
  const { name } = bundleOf(trustBundle).metadata;
  const found = present.find(({ metadata }) => metadata.name === name);
  const isRight = found === undefined || found.spec.trustBundle === trustBundle;
  return {
    create: found === undefined,
    update: isRight ? undefined : { ...found, spec: { ...found.spec, trustBundle } },
    remove: present.map(({ metadata }) => metadata.name!).filter((other) => other !== name),
  };
}
