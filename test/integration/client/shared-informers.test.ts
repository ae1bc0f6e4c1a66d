import { expect, test, vi } from 'vitest';
import { createSharedInformers } from '../../../src/client/shared-informers.ts';
import { startClientServer } from './client-server.ts';

test('Informers are shared by resource and selection, and leased ones end with their last lease', async () => {
  await using server = await startClientServer({ settled: true });
  const { client } = server;
  await using informers = createSharedInformers(client);
  const { configmaps, secrets } = client.core.v1;
  const labels = { a: 'b' };
  const finalizers = ['example.com/hold'];
  for (const name of ['one', 'two'])
    await configmaps.create({ metadata: { name, namespace: 'default', labels, finalizers }, data: { a: 'b' } });
  const { target } = configmaps;

  const lease = informers.lease(target);
  const second = informers.lease(target);
  expect(second.informer).toBe(lease.informer);
  await lease.informer.synced();
  const known = lease.informer.lister.get('default', 'one');
  expect(known).toEqual({
    metadata: {
      name: 'one',
      namespace: 'default',
      uid: expect.any(String),
      resourceVersion: expect.any(String),
      finalizers,
    },
  });
  lease.release();
  lease.release();
  await configmaps.create({ metadata: { name: 'three', namespace: 'default' } });
  await vi.waitFor(() => expect(second.informer.lister.get('default', 'three')).toBeDefined());
  second.release();
  expect(informers.lease(target).informer).not.toBe(lease.informer);

  const whole = informers.for(secrets);
  expect(informers.lease(secrets.target).informer).toBe(whole);
  const selected = informers.for(configmaps, { fieldSelector: 'metadata.name=two' });
  await selected.synced();
  expect(selected.lister.list().map(({ metadata }) => metadata.name)).toEqual(['two']);
  expect(informers.for(configmaps, { fieldSelector: 'metadata.name=two' })).toBe(selected);
  expect(informers.for(configmaps)).not.toBe(selected);
});
