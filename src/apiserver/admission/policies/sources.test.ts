import { afterEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { createDirectCatalog } from '../../../registry/testing/direct-catalog.ts';
import type { ResourceStore } from '../../../registry/generic/resource-store.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { createSharedDecoder } from '../../loopback/shared-decoder.ts';
import { attributesFor } from '../testing/attributes.ts';
import { binding, validating } from './testing/policies.ts';
import { WatchedPolicies } from './sources.ts';

const resources = { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' };
const pod = attributesFor('pods', { metadata: { name: 'p' } });

const write = async (store: ResourceStore, object: KubeObject): Promise<void> => {
  const key = store.key('', object.metadata!.name!);
  const current = await store.find('', object.metadata!.name!, { match: 'any' });
  if (current === undefined) await store.storage.create(key, store.encode(object));
  else await store.storage.update(key, store.encode(object), current.revision);
};

test('Policies are known when they were written, and the index stays while only their status changes', async () => {
  await using store = await openEmbeddedStore();
  const registry = createDirectCatalog(store, ['admissionregistration.k8s.io/v1']);
  const [policies, bindings] = [resources.policies, resources.bindings].map(
    (name) => registry.storeOf('admissionregistration.k8s.io', name)!,
  ) as [ResourceStore, ResourceStore];
  await write(policies, validating({}));
  const watched = new WatchedPolicies({ registry, decode: createSharedDecoder(), log: silentLogger });
  const source = watched.create(resources, () => Promise.resolve(''));
  try {
    const first = await source.current(pod);
    expect(first.isEmpty).toBe(true);
    await write(bindings, binding());
    await expect.poll(async () => (await source.current(pod)).candidates(pod).length).toBe(1);
    const bound = await source.current(pod);
    await write(policies, { ...validating({}), status: { observedGeneration: 1 } } as KubeObject);
    // A second policy shows that the first change was seen.
    await write(policies, validating({}, 'q'));
    await write(bindings, binding({ policyName: 'q' }, 'c'));
    await expect.poll(async () => (await source.current(pod)).candidates(pod).length).toBe(2);
    expect(await source.current(pod)).not.toBe(bound);
    expect(await source.current(pod)).toBe(await source.current(pod));
  } finally {
    await watched.stop();
  }
});

afterEach(() => void vi.useRealTimers());

test('A request is refused while policies cannot be read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const silent = { resourceName: 'policies', key: () => '', list: () => new Promise<never>(() => undefined) };
  const registry = { storeOf: () => silent as unknown as ResourceStore };
  const watched = new WatchedPolicies({ registry, decode: createSharedDecoder(), log: silentLogger });
  const refused = expect(
    Promise.resolve(watched.create(resources, () => Promise.resolve('')).current(pod)),
  ).rejects.toMatchObject({ code: 403, message: 'pods "p" is forbidden: not yet ready to handle request' });
  await vi.advanceTimersByTimeAsync(5000);
  await refused;
});

test('A server without the resources has no policies', async () => {
  const registry = { storeOf: () => undefined };
  const watched = new WatchedPolicies({ registry, decode: createSharedDecoder(), log: silentLogger });
  const source = watched.create(resources, () => Promise.resolve(''));
  expect((await source.current(pod)).isEmpty).toBe(true);
});
