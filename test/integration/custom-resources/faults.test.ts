import { expect, test } from 'vitest';
import { customDefinition, definitionsPath, establish } from '../../support/definitions.ts';
import { EtcdServer } from '../../support/etcd.ts';
import { startReplica } from '../../support/replica.ts';

test('A server whose etcd is away in the middle of a deletion stops, and the next one ends it', async () => {
  const etcd = await EtcdServer.start();
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  const first = await startReplica(etcd.url);
  const path = await establish(first, customDefinition());
  await first.send('POST', widgets, {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'f', finalizers: ['example.com/f'] },
  });
  await first.send('DELETE', path);
  await first.until<{ metadata: { deletionTimestamp?: string } }>(
    `${widgets}/f`,
    ({ body }) => body.metadata.deletionTimestamp !== undefined,
  );
  await etcd.stop('SIGKILL');
  await first[Symbol.asyncDispose]();

  await etcd.restart();
  {
    await using second = await startReplica(etcd.url);
    expect((await second.send('GET', `${widgets}/f`)).status).toBe(200);
    expect(
      (await second.send('POST', widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'late' } }))
        .status,
    ).toBe(405);
    await second.send('PATCH', `${widgets}/f`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
    await second.until(path, ({ status }) => status === 404);
    expect((await second.send('GET', definitionsPath)).status).toBe(200);
  }
  await etcd[Symbol.asyncDispose]();
});
