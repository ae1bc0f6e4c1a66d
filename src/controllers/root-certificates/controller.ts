/**
 * Each namespace has a config map `kube-root-ca.crt` with the certificate authority of the API server.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/storage/projected-volumes/#serviceaccounttoken | Projected volumes}
 */
import { isAlreadyExists, isApiError, isNotFound } from '../../client/api-error.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { isNamespaceTerminating } from '../shared/pod-control.ts';
import { rootCertificate } from '../shared/root-certificate.ts';
import { syncMetrics } from '../shared/sync-metrics.ts';
import { presentNamespaces } from '../shared/triggers.ts';
import { configMapName, correctedConfigMap, newConfigMap } from './sync.ts';

export async function startRootCertificates(context: ControllerContext): Promise<void> {
  const { client, clock } = context;
  const certificate = await rootCertificate(context);
  const { configmaps } = client.core.v1;
  const namespaces = context.informer(client.core.v1.namespaces);
  const configMaps = context.informer(configmaps, { fieldSelector: `metadata.name=${configMapName}` });
  const observe = syncMetrics(context, 'root_ca_cert_publisher', 'the config map of a namespace');

  const publish = async (namespace: string): Promise<void> => {
    const present = configMaps.lister.get(namespace, configMapName);
    if (present !== undefined) {
      const corrected = correctedConfigMap(present, certificate.get());
      if (corrected !== undefined) await configmaps.update(corrected);
    } else if (namespaces.objects.get(namespace)?.status?.phase === 'Active') {
      await configmaps.create(newConfigMap(namespace, certificate.get())).catch((error: unknown) => {
        if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
      });
    }
  };
  const controller = context.work({
    queue: 'root_ca_cert_publisher',
    workers: 1,
    triggers: [presentNamespaces(namespaces), changesOf(configMaps, ({ metadata }) => [metadata.namespace!])],
    async sync(namespace) {
      const begun = clock.now();
      try {
        await publish(namespace);
        observe('200', clock.now() - begun);
      } catch (error) {
        observe(isApiError(error) ? String(error.code) : '500', clock.now() - begun);
        throw error;
      }
      return undefined;
    },
  });
  const stopFollowing = certificate.onChange(() => {
    for (const namespace of namespaces.objects.keys()) controller.add(namespace);
  });
  context.onStop(stopFollowing);
}
