/**
 * Keeps the ClusterTrustBundle with the certificate authority of the API server.
 * @see {@link https://kep.k8s.io/3257 | KEP-3257}
 */
import { isApiError, isNotFound } from '../../client/api-error.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { rootCertificate } from '../shared/root-certificate.ts';
import { syncMetrics } from '../shared/sync-metrics.ts';
import { bundleActions, bundleOf, signerName } from './sync.ts';

/** There is one thing to look at. */
const key = signerName;

export async function startClusterTrustBundle(context: ControllerContext): Promise<void> {
  const { client, clock, log } = context;
  const certificate = await rootCertificate(context);
  if (certificate.get() === '') {
    log.warn({ controller: context.name }, 'no certificate authority of the API server is known');
    return;
  }
  const { clustertrustbundles } = client.certificates.v1alpha1;
  const bundles = context.informer(clustertrustbundles, { fieldSelector: `spec.signerName=${signerName}` });
  const observe = syncMetrics(
    context,
    'clustertrustbundle_publisher',
    'the bundle with the authority of the API server',
  );

  const publish = async (): Promise<void> => {
    const trustBundle = certificate.get();
    const { create, update, remove } = bundleActions([...bundles.objects.values()], trustBundle);
    if (create) await clustertrustbundles.create(bundleOf(trustBundle));
    if (update !== undefined) await clustertrustbundles.update(update);
    for (const name of remove)
      await clustertrustbundles.delete(name).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  };
  const controller = context.work({
    queue: 'ca_cert_publisher_cluster_trust_bundles',
    workers: 1,
    triggers: [changesOf(bundles, () => [key])],
    async sync() {
      const begun = clock.now();
      try {
        await publish();
        observe('200', clock.now() - begun);
      } catch (error) {
        observe(isApiError(error) ? String(error.code) : '500', clock.now() - begun);
        throw error;
      }
      return undefined;
    },
  });
  controller.add(key);
  context.onStop(certificate.onChange(() => controller.add(key)));
}
