import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../../../base/testing/fake-clock.ts';
import { openEmbeddedStore } from '../../../../storage/embedded/open.ts';
import type { Store } from '../../../../storage/interface.ts';
import { ControlledStore } from '../../../../storage/testing/controlled-store.ts';
import { ServiceServer } from '../testing/service-server.ts';
import { takenNumbers } from '../testing/shared-ranges-suite.ts';
import { usualLeakAgeMs } from './repair.ts';

describe('repair of ranges', () => {
  let store: Store & AsyncDisposable;
  let server: ServiceServer;
  beforeEach(async () => {
    store = await openEmbeddedStore();
    server = new ServiceServer({ store });
  });
  afterEach(() => store[Symbol.asyncDispose]());

  const remove = async (name: string): Promise<void> => {
    const key = `/registry/ranges/${name}`;
    const { kv } = await store.get(key);
    await store.delete(key, kv!.modRevision);
  };
  const [first, second] = ['10.0.0.40', '10.0.0.41'];

  test('The repair of ranges makes empty ranges in a new store', async () => {
    await server.ranges.repair();
    expect([await takenNumbers(store, 'serviceips'), await takenNumbers(store, 'servicenodeports')]).toEqual([[], []]);
    expect((await store.get('/registry/ranges/secondaryserviceips')).kv).toBeUndefined();
  });

  test('The repair of ranges writes nothing when nothing is wrong', async () => {
    await server.create({ name: 's', type: 'NodePort' });
    await server.ranges.repair();
    const revision = await store.currentRevision();
    await server.ranges.repair();
    expect([await store.currentRevision(), server.warnings]).toEqual([revision, []]);
  });

  test('The repair of ranges takes what services hold in a store that lost its ranges', async () => {
    await server.create({ name: 'a', clusterIP: first, type: 'NodePort', ports: [{ port: 80, nodePort: 30_007 }] });
    await remove('serviceips');
    await remove('servicenodeports');
    const restarted = new ServiceServer({ store });
    await expect(restarted.create({ name: 'b', clusterIP: first })).rejects.toThrow('provided IP is already allocated');
    await expect(
      restarted.create({ name: 'c', type: 'NodePort', ports: [{ port: 80, nodePort: 30_007 }] }),
    ).rejects.toThrow('provided port is already allocated');
  });

  test('The repair of ranges releases a value that no service uses, in the third round', async () => {
    await server.create({ name: 'a', clusterIP: first });
    const stored = await server.services.get('default', 'a', { match: 'mostRecent' });
    await store.delete(stored.key, stored.revision);
    const rounds: number[][] = [];
    for (let round = 0; round < 3; round++) {
      await server.ranges.repair();
      rounds.push(await takenNumbers(store, 'serviceips'));
    }
    expect(rounds).toEqual([[39], [39], []]);
    expect(server.warnings).toEqual([
      'a value is taken and held by no service; kept for now',
      'a value is taken and held by no service; released',
    ]);
  });

  test('The repair of ranges keeps a value that no service uses for five minutes, however often it runs', async () => {
    const clock = new FakeClock();
    const patient = new ServiceServer({ store, clock, leakAgeMs: usualLeakAgeMs });
    await patient.create({ name: 'a', clusterIP: first });
    const stored = await patient.services.get('default', 'a', { match: 'mostRecent' });
    await store.delete(stored.key, stored.revision);
    for (let round = 0; round < 10; round++) await patient.ranges.repair();
    await clock.advance(usualLeakAgeMs - 1);
    await patient.ranges.repair();
    expect(await takenNumbers(store, 'serviceips')).toEqual([39]);
    await clock.advance(1);
    await patient.ranges.repair();
    expect(await takenNumbers(store, 'serviceips')).toEqual([]);
  });

  test('The repair of ranges tells what it has found once, however often it begins again', async () => {
    await server.create({ name: 'a', clusterIP: first });
    const stored = await server.services.get('default', 'a', { match: 'mostRecent' });
    await store.delete(stored.key, stored.revision);
    const controlled = new ControlledStore(store);
    const disturbed = new ServiceServer({ store: controlled });
    for (let round = 0; round < 2; round++) await disturbed.ranges.repair();
    for (let time = 0; time < 3; time++) {
      const write = controlled.holdNext('update', '/registry/ranges/serviceips');
      void write.reached.then(async () => {
        await server.create({ name: `b${time}`, clusterIP: `10.0.0.${50 + time}` });
        write.release();
      });
    }
    await disturbed.ranges.repair();
    const what = 'a value is taken and held by no service';
    expect(disturbed.warnings).toEqual([`${what}; kept for now`, `${what}; released`]);
    expect(await takenNumbers(store, 'serviceips')).toEqual([49, 50, 51]);
  });

  test('The repair of ranges releases nothing where services are written all the time', async () => {
    await server.create({ name: 'a', clusterIP: first });
    const stored = await server.services.get('default', 'a', { match: 'mostRecent' });
    await store.delete(stored.key, stored.revision);
    const controlled = new ControlledStore(store);
    const disturbed = new ServiceServer({ store: controlled });
    for (let round = 0; round < 2; round++) await disturbed.ranges.repair();
    const before = (await store.get('/registry/ranges/serviceips')).kv!;
    await server.create({ name: 'busy', clusterIP: '10.0.0.50' });
    await store.update(before.key, before.value, (await store.get(before.key)).kv!.modRevision);
    const restarted = new ServiceServer({ store });
    let writes = 0;
    const disturb = (): void => {
      const write = controlled.holdNext('update', '/registry/ranges/serviceips');
      void write.reached.then(async () => {
        writes++;
        await restarted.change('busy', ({ metadata }) => void (metadata.labels = { writes: String(writes) }));
        if (writes < 20) disturb();
        write.release();
      });
    };
    disturb();
    await disturbed.ranges.repair();
    expect([await takenNumbers(store, 'serviceips'), writes]).toEqual([[39, 49], 10]);
  });

  test('What was being written in one round and is there in the next has not leaked', async () => {
    await server.create({ name: 'a', clusterIP: first });
    const stored = await server.services.get('default', 'a', { match: 'mostRecent' });
    const { kv } = await store.get(stored.key);
    await store.delete(stored.key, stored.revision);
    await server.ranges.repair();
    await server.ranges.repair();
    await store.create(stored.key, kv!.value);
    for (let round = 0; round < 4; round++) await server.ranges.repair();
    expect(await takenNumbers(store, 'serviceips')).toEqual([39]);
  });

  test('The repair of ranges says when an address is held twice, and when one is not of the range', async () => {
    const copyOf = async (name: string, to: string): Promise<void> => {
      const { kv } = await store.get(`/registry/services/specs/default/${name}`);
      await store.create(`/registry/services/specs/default/${to}`, kv!.value);
    };
    await server.create({ name: 'a', clusterIP: first });
    await copyOf('a', 'b');
    await server.ranges.repair();
    expect(server.warnings).toEqual(['a value is held by several services; recreate this one']);
    const moved = new ServiceServer({ store, clusterIpRanges: ['10.1.0.0/24'] });
    await moved.ranges.repair();
    expect(moved.warnings).toEqual([
      'a service holds a value that is not of the range; recreate the service',
      'a service holds a value that is not of the range; recreate the service',
    ]);
  });

  test('Another range is an error until the repair, and then the range', async () => {
    await server.create({ name: 'a', clusterIP: second });
    const moved = new ServiceServer({ store, clusterIpRanges: ['10.1.0.0/24'] });
    await expect(moved.create({ name: 'b' })).rejects.toThrow(
      'Internal error occurred: failed to allocate a serviceIP: the provided range does not match the current range',
    );
    await moved.ranges.repair();
    expect((await moved.create({ name: 'b' })).spec.clusterIP).toMatch(/^10\.1\.0\.\d+$/);
    await expect(server.create({ name: 'c' })).rejects.toThrow('the provided range does not match the current range');
  });

  test('A port number counts once for all protocols', async () => {
    await server.create({
      name: 'a',
      type: 'NodePort',
      ports: [
        { name: 't', port: 53, protocol: 'TCP', nodePort: 30_053 },
        { name: 'u', port: 53, protocol: 'UDP', nodePort: 30_053 },
      ],
    });
    await server.ranges.repair();
    expect([await takenNumbers(store, 'servicenodeports'), server.warnings]).toEqual([[53], []]);
  });

  test('The repair of ranges goes over many services page by page', async () => {
    const wide = new ServiceServer({ store, clusterIpRanges: ['10.0.0.0/20'] });
    for (let i = 0; i < 520; i++) await wide.create({ name: `s${i}` });
    const before = await takenNumbers(store, 'serviceips');
    await remove('serviceips');
    await wide.ranges.repair();
    expect(await takenNumbers(store, 'serviceips')).toEqual(before);
  });
});
