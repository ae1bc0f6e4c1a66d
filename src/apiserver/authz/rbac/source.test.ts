import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { attributes, userNamed } from '../../../auth/authorization/testing/attributes.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { ResourceStore } from '../../../registry/generic/resource-store.ts';
import { createSharedDecoder } from '../../loopback/shared-decoder.ts';
import { createRbacAuthorizer } from './authorizer.ts';
import { RbacSource } from './source.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Stores whose first list is answered when the test says so. */
function startSource() {
  const answers: (() => void)[] = [];
  const storeOf = (_: string, resource: string): ResourceStore =>
    ({
      resourceName: resource,
      groupResource: { group: 'rbac.authorization.k8s.io', resource },
      list: () => new Promise((resolve) => answers.push(() => resolve({ objects: [], revision: 1 }))),
      watch: () => new Promise(() => undefined),
    }) as unknown as ResourceStore;
  const source = new RbacSource({ registry: { storeOf }, decode: createSharedDecoder(), log: silentLogger });
  const authorizer = createRbacAuthorizer(source.policy);
  return { decide: () => authorizer.authorize(attributes({ user: userNamed('jane') })), answers };
}

test('A request that comes before the roles are loaded is not allowed, and fails after five seconds', async () => {
  const { decide } = startSource();
  const decision = Promise.resolve(decide());
  await vi.advanceTimersByTimeAsync(4_999);
  const early = await Promise.race([decision, Promise.resolve('waits')]);
  expect(early).toBe('waits');
  await vi.advanceTimersByTimeAsync(1);
  expect(await decision).toEqual({
    decision: 'noOpinion',
    reason: '',
    error: 'RBAC: the roles could not be read from the store yet',
  });
});

test('A request that waits for the roles is decided when all of them are loaded', async () => {
  const { decide, answers } = startSource();
  const decision = Promise.resolve(decide());
  await vi.advanceTimersByTimeAsync(1_000);
  for (const answer of answers) answer();
  await vi.advanceTimersByTimeAsync(1);
  expect(await decision).toEqual({ decision: 'noOpinion', reason: '' });
});
