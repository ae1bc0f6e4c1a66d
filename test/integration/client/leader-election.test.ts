/** Two candidates for one lock, on a server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLock, lockKinds } from '../../../src/client/leader-election/create-lock.ts';
import { createElector } from '../../../src/client/leader-election/elector.ts';
import type { Leadership } from '../../../src/client/leader-election/leadership.ts';
import { type ClientServer, startClientServer } from './client-server.ts';

let shared: ClientServer;
beforeAll(async () => {
  shared = await startClientServer();
});
afterAll(() => shared[Symbol.asyncDispose]());

const times = { leaseDurationMs: 1000, renewDeadlineMs: 700, retryPeriodMs: 50 };

describe.each(lockKinds)('a lock of kind %s', (kind) => {
  const until = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

  function candidate(identity: string) {
    const abort = new AbortController();
    const client = shared.connect();
    let leads: (leadership: Leadership) => void;
    const leading = new Promise<Leadership>((resolve) => (leads = resolve));
    const elector = createElector({
      ...times,
      identity,
      lock: createLock(kind, { client, namespace: 'default', name: `lock-${kind}` }),
      lead(leadership) {
        leads(leadership);
        return until(leadership.signal);
      },
    });
    return { client, leading, run: elector.run(abort.signal), stop: () => abort.abort(new Error('stop')) };
  }

  test('A lock is had by one candidate, then by the other, whose writes the server takes', async () => {
    const a = candidate('a');
    const leadership = await a.leading;
    const b = candidate('b');
    const maps = a.client.fenced(leadership).core.v1.configmaps;
    await maps.create({ metadata: { name: `by-a-${kind}`, namespace: 'default' } });
    a.stop();
    expect(await a.run).toBe('stopped');
    const late = maps.create({ metadata: { name: `late-${kind}`, namespace: 'default' } });
    await expect(late).rejects.toThrow('stop');
    await b.leading;
    const lease = await shared.client.coordination.v1.leases.namespace('default').get(`lock-${kind}`);
    expect(lease.spec).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 1, leaseTransitions: 1 });
    b.stop();
    expect(await b.run).toBe('stopped');
  });

  test('A lock is had by another candidate after its holder died', async () => {
    const a = candidate('a');
    await a.leading;
    await a.client.close();
    const b = candidate('b');
    await b.leading;
    expect(await a.run).toBe('lost');
    b.stop();
    await b.run;
  });
});
