import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { CredentialProviders } from '../images/credentials/credential-providers.ts';
import type { CredentialProvider } from '../images/credentials/provider-config.ts';
import { ImageCollector, type ImageLimits } from '../images/image-collector.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { simulateNode } from '../pods/testing/simulated-node.ts';
import { createImageMetrics, imageSizeName } from './image-metrics.ts';

const linesOf = async (registry: Registry): Promise<string[]> => (await registry.metrics()).split('\n');
const Mi = 1 << 20;

describe('Metrics of images', () => {
  test.each([
    [0, 'N/A'],
    [1, '0-10MB'],
    [10 * Mi, '0-10MB'],
    [10 * Mi + 1, '10MB-100MB'],
    [600 * Mi, '500MB-1GB'],
    [1025 * Mi, '1GB-5GB'],
    [200 * 1024 * Mi, 'GT100GB'],
  ])('An image of %d bytes is one of %s', (bytes, name) => {
    expect(imageSizeName(bytes)).toBe(name);
  });

  test.each([
    { policy: 'Always', pulls: 1 },
    { policy: 'IfNotPresent', pulls: 0 },
  ] as const)(
    'With an image that is there $pulls pulls are counted by the policy $policy',
    async ({ policy, pulls }) => {
      const registry = new Registry();
      const node = await simulateNode({ observers: { images: createImageMetrics(registry) } });
      const pod = podOf({ main: ['a'] });
      const image = pod.spec.containers![0]!.image ?? '';
      node.containers.images.add(image);
      const containers = pod.spec.containers!.map((container) => ({ ...container, imagePullPolicy: policy }));
      node.workers.set({ ...pod, spec: { ...pod.spec, containers }, status: {} });
      await node.settle();
      const counted = (await linesOf(registry)).filter((line) =>
        line.startsWith('kubelet_image_pull_duration_seconds_count{image_size_in_bytes="N/A"}'),
      );
      expect(counted.map((line) => Number(line.split(' ')[1]))).toEqual(pulls === 0 ? [] : [pulls]);
    },
  );

  const limits: ImageLimits = { highPercent: 85, lowPercent: 80, minAgeMs: 0, maxAgeMs: 0 };

  test.each([
    { name: 'too old', limits: { ...limits, maxAgeMs: 1000 }, usedPercent: 50, reason: 'age' },
    { name: 'in the way of a full disk', limits, usedPercent: 90, reason: 'space' },
  ])('An image that goes because it is $name is counted as $reason', async ({ limits: own, usedPercent, reason }) => {
    const registry = new Registry();
    let now = 0;
    const collector = new ImageCollector({
      runtime: {
        listImages: () => Promise.resolve({ images: [{ id: 'a', size: 500 }] }),
        listContainers: () => Promise.resolve({}),
        removeImage: () => Promise.resolve({}),
      },
      limits: own,
      diskUsage: () => Promise.resolve({ capacityBytes: 1000, availableBytes: 1000 - usedPercent * 10 }),
      nowMs: () => now,
      sandboxImages: () => [],
      event: () => undefined,
      observer: createImageMetrics(registry),
    });
    if (own.maxAgeMs > 0) await collector.collect();
    now = 10_000;
    await collector.collect();
    expect(await linesOf(registry)).toContain(`kubelet_image_garbage_collected_total{reason="${reason}"} 1`);
  });

  test('Programs that give credentials are counted with their time and failures', async () => {
    const registry = new Registry();
    const clock = new FakeClock();
    const provider: CredentialProvider = {
      name: 'cloud',
      program: '/bin/cloud',
      matchImages: ['registry.test'],
      defaultCacheMs: 0,
      apiVersion: 'v1',
      args: [],
      env: {},
    };
    let fails = false;
    const providers = new CredentialProviders({
      providers: [provider],
      async ask() {
        await clock.advance(300);
        if (fails) throw new Error('no');
        return { cacheKeyType: 'Image', cacheMs: 0, auth: new Map() };
      },
      clock,
      log: silentLogger,
      observer: createImageMetrics(registry),
    });
    await providers.credentialsFor('registry.test/a');
    fails = true;
    await providers.credentialsFor('registry.test/a');
    const lines = await linesOf(registry);
    expect(lines).toContain('kubelet_credential_provider_plugin_duration_sum{plugin_name="cloud"} 0.6');
    expect(lines).toContain('kubelet_credential_provider_plugin_duration_count{plugin_name="cloud"} 2');
    expect(lines).toContain('kubelet_credential_provider_plugin_errors{plugin_name="cloud"} 1');
  });
});
