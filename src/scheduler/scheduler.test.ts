import { expect, test, vi } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { createClient } from '../client/client.ts';
import { allInformers, createSchedulerInformers } from './informers.ts';
import { createScheduler } from './scheduler.ts';

test('A scheduler that begins to lead takes no list from before that of informers that read ahead', async () => {
  await using client = createClient({ url: 'https://127.0.0.1:1' });
  const parts = { log: silentLogger, clock: new FakeClock(), random: () => 0, dynamicResources: true };
  const informers = createSchedulerInformers(client, parts);
  const required = allInformers(informers).map((informer) => vi.spyOn(informer, 'requireVersion'));
  await createScheduler({ client, informers, features: { dynamicResources: true }, notBefore: '7' }).stop();
  expect(required.map(({ mock }) => mock.calls)).toEqual(required.map(() => [['7']]));
});
