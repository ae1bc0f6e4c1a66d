import { expect, test } from 'vitest';
import { isStatusError } from '../../machinery/status.ts';
import { creating, pod, quota, start } from './testing/quota-objects.ts';

test('64 creators that share a quota get all of it and no more, and none fails for another reason', async () => {
  await using server = await start(quota('q', { pods: '500' }, { pods: '0' }));
  const refusals: string[] = [];
  let admitted = 0;
  const creator = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) {
      try {
        await server.validate(creating('pods', pod({})));
        admitted++;
      } catch (error) {
        refusals.push(isStatusError(error) ? error.message : String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, creator));
  expect([...new Set(refusals)]).toEqual([
    'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=500, limited: pods=500',
  ]);
  expect(admitted).toBe(500);
  expect(await server.used('q')).toEqual({ pods: '500' });
  expect(server.writes()).toBe(500);
});
