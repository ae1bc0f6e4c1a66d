import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createControlPlane } from '../../src/index.ts';
import type { ControlPlane } from '../../src/index.ts';

function apiOf({ kubeconfig }: Pick<ControlPlane, 'kubeconfig'>): CoreV1Api {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  return config.makeApiClient(CoreV1Api);
}

const create = (api: CoreV1Api, name: string) =>
  api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name } } });
const namesIn = async (api: CoreV1Api): Promise<string[]> =>
  (await api.listNamespacedConfigMap({ namespace: 'default' })).items.map(({ metadata }) => metadata!.name!);

describe('createControlPlane', () => {
  test('Two at once in one process share nothing', async () => {
    await using one = await createControlPlane();
    await using other = await createControlPlane();
    await Promise.all([create(apiOf(one), 'of-one'), create(apiOf(other), 'of-other')]);
    expect([await namesIn(apiOf(one)), await namesIn(apiOf(other))]).toEqual([['of-one'], ['of-other']]);
    await one.close();
    expect(await namesIn(apiOf(other))).toEqual(['of-other']);
  });

  test('A later control plane on a data directory has the same objects and takes the same credentials', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'orch-library-'));
    const first = await createControlPlane({ dataDir });
    await create(apiOf(first), 'kept');
    await first.close();
    const second = await createControlPlane({ dataDir });
    expect(await namesIn(apiOf({ kubeconfig: first.kubeconfig.replace(first.url, second.url) }))).toEqual(['kept']);
    await second.close();
    await rm(dataDir, { recursive: true });
  });

  test('A data directory in use is refused, and its user goes on', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'orch-library-'));
    const first = await createControlPlane({ dataDir });
    await expect(createControlPlane({ dataDir })).rejects.toThrow(/is in use by another store of this process/);
    expect(await namesIn(apiOf(first))).toEqual([]);
    await first.close();
    await rm(dataDir, { recursive: true });
  });

  test('createControlPlane takes flags of the API server', async () => {
    await using controlPlane = await createControlPlane({ flags: ['--runtime-config=v1/secrets=false'] });
    await expect(apiOf(controlPlane).listSecretForAllNamespaces()).rejects.toMatchObject({ code: 404 });
  });
});
