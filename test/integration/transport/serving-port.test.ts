/** The port of a daemon, before and after it is open. */
import { expect, test } from 'vitest';
import { ServingPort } from '../../../src/server/serving-port.ts';
import { testTls } from '../../support/transport.ts';

const create = (port: number): ServingPort =>
  new ServingPort({ address: '127.0.0.1', port, maxStreamsPerConnection: 0, tls: testTls });
const answer = (): Promise<never> => Promise.reject(new Error('no request is expected'));

test('A serving port is the one that was asked for, and from its opening on the one that was taken', async () => {
  const serving = create(0);
  expect(serving.port).toBe(0);
  await serving.open(answer);
  const taken = serving.port;
  expect(taken).toBeGreaterThan(0);
  await expect(create(taken).open(answer)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await serving.close();
  expect(serving.port).toBe(taken);
  const next = create(taken);
  await next.open(answer);
  await next.close();
});

test('A serving port that was never opened can be left and closed', async () => {
  const serving = create(1);
  serving.leave();
  await serving.close();
  expect(serving.port).toBe(1);
});
