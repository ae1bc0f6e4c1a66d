/** The namespace of a case, with what it has before the first step. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';

const limitMs = 15_000;

/**
 * Its account `default` and its root certificate are made by controllers; where those do not run, here, so that other
 * sections need not wait for them.
 */
export async function prepareNamespace({ api, running, ca }: Cluster, name: string): Promise<void> {
  await api.must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const namespace = `/api/v1/namespaces/${name}`;
  if (!running.has('serviceaccount-controller'))
    await api.must('POST', `${namespace}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    });
  if (!running.has('root-ca-certificate-publisher-controller'))
    await api.must('POST', `${namespace}/configmaps`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-root-ca.crt', annotations: { 'kubernetes.io/description': description } },
      data: { 'ca.crt': ca },
    });
  const end = performance.now() + limitMs;
  for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'])
    while ((await api.send('GET', `${namespace}/${path}`)).status !== 200) {
      if (performance.now() > end) throw new Error(`namespace ${name} did not get its ${path} within ${limitMs} ms`);
      await sleep(50);
    }
}

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes ' +
  'clusters.';
