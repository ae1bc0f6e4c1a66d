import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { createControlPlane } from '../../src/index.ts';
import { expect, test } from 'vitest';

test('The controller keeps a config map', async () => {
  await using controlPlane = await createControlPlane();
  const config = new KubeConfig();
  config.loadFromString(controlPlane.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);

  await api.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: { name: 'colours' }, data: { sky: 'blue' } },
  });

  const { data } = await api.readNamespacedConfigMap({ namespace: 'default', name: 'colours' });
  expect(data).toEqual({ sky: 'blue' });
});
