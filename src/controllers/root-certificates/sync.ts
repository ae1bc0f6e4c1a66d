/** What a namespace's config map with the certificate authority of the API server should be. */
import type { ConfigMap } from '../../api/gen/types/core-v1.ts';
import type { Input } from '../../client/index.ts';
import { isEqual } from '../../machinery/equal.ts';

export const configMapName = 'kube-root-ca.crt';

const descriptionKey = 'kubernetes.io/description';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes ' +
  'clusters.';

export const newConfigMap = (namespace: string, certificate: string): Input<ConfigMap> => ({
  metadata: { name: configMapName, namespace, annotations: { [descriptionKey]: description } },
  data: { 'ca.crt': certificate },
});

/** @returns what to replace the config map by; undefined when it is as it should be */
export function correctedConfigMap(configMap: ConfigMap, certificate: string): ConfigMap | undefined {
  const { metadata } = configMap;
  const data = { 'ca.crt': certificate };
  if (isEqual(configMap.data ?? {}, data) && (metadata.annotations?.[descriptionKey] ?? '') !== '') return undefined;
  const annotations = { ...metadata.annotations, [descriptionKey]: description };
  return { ...configMap, metadata: { ...metadata, annotations }, data };
}
