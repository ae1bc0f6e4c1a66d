import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { timedLookup } from './timed-lookup.ts';

const server = net.createServer((socket) => socket.end());
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

test.each([
  { name: 'a name', host: 'localhost', hosts: ['localhost'] },
  { name: 'no address', host: '127.0.0.1', hosts: [] },
])('A new connection tells of the look-up of $name', async ({ host, hosts }) => {
  const { port } = server.address() as AddressInfo;
  const told: string[] = [];
  const socket = net.connect({ host, port, lookup: timedLookup({ resolved: (name) => void told.push(name) }) });
  await once(socket, 'connect');
  socket.destroy();
  expect(told).toEqual(hosts);
});
