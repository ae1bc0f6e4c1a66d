import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { ClaimSources } from './claim-sources.ts';

/** A place that takes connections and says nothing. */
async function silentPlace(): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/groups`;
}

test('No more than 64 are asked for at once, and those end with the authenticator', async () => {
  const sources = new ClaimSources({
    claim: 'groups',
    certificateAuthority: '',
    algorithms: ['RS256'],
    log: silentLogger,
    check: () => undefined,
  });
  const claims = { _claim_names: { groups: 'a' }, _claim_sources: { a: { endpoint: await silentPlace() } } };
  const waiting = Promise.allSettled(Array.from({ length: 64 }, () => sources.expand(claims)));
  await expect(sources.expand(claims)).rejects.toThrow('oidc: too many distributed claims are asked for at once');
  expect(await sources.expand({ groups: ['own'] })).toEqual({ groups: ['own'] });
  await sources.close();
  expect((await waiting).filter(({ status }) => status === 'fulfilled')).toEqual([]);
});
