import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { type DiscoveredResource, type DiscoveredVersion, Discovery } from '../../client/discovery/resources.ts';
import type { Informer, InformerHandler } from '../../client/index.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { Monitors } from './monitors.ts';

const resource = (group: string, name: string): DiscoveredResource => ({
  group,
  version: 'v1',
  resource: name,
  kind: name,
  namespaced: true,
  verbs: new Set(['list']),
});
const version = (group: string, ...names: string[]): DiscoveredVersion => ({
  group,
  version: 'v1',
  resources: names.map((name) => resource(group, name)),
});
const away = (group: string): DiscoveredVersion => ({ group, version: 'v1', resources: [], failure: 'away' });

let served: readonly DiscoveredVersion[] | Error;
let leased: Set<string>;
let forgotten: string[];
let handlers: Map<string, InformerHandler<KubeObject>[]>;
let looks: number;
let clock: FakeClock;
let monitors: Monitors;

beforeEach(() => {
  leased = new Set();
  forgotten = [];
  handlers = new Map();
  looks = 0;
  clock = new FakeClock();
  monitors = new Monitors({
    discover() {
      looks++;
      return served instanceof Error ? Promise.reject(served) : Promise.resolve(new Discovery(served));
    },
    isWanted: ({ resource: name }) => name !== 'events',
    lease({ resource: name }) {
      leased.add(name);
      const informer = {
        addHandler(handler: InformerHandler<KubeObject>) {
          handlers.set(name, [...(handlers.get(name) ?? []), handler]);
          return { remove: () => undefined };
        },
      };
      return { informer: informer as unknown as Informer<KubeObject>, release: () => void leased.delete(name) };
    },
    handlerOf: () => ({}),
    forget: ({ resource: name }) => forgotten.push(name),
    log: silentLogger,
    clock,
  });
});

const look = (...versions: readonly DiscoveredVersion[]): Promise<void> => {
  served = versions;
  return monitors.refresh();
};

describe('the resources that are monitored', () => {
  it('The resources that are monitored are those that are served and wanted', async () => {
    await look(version('', 'pods', 'events'), version('apps', 'deployments'));
    expect([...leased]).toEqual(['pods', 'deployments']);
  });

  it('Monitored resources go when they were not served at two looks: their objects are told of first', async () => {
    await look(version('', 'pods'), version('example.com', 'things'));
    await look(version('', 'pods'));
    expect([...leased]).toEqual(['pods', 'things']);
    await look(version('', 'pods'));
    expect([[...leased], forgotten]).toEqual([['pods'], ['things']]);
  });

  it('The resources that are monitored stay when they are served again', async () => {
    await look(version('example.com', 'things'));
    await look();
    await look(version('example.com', 'things'));
    await look();
    expect([[...leased], forgotten]).toEqual([['things'], []]);
  });

  it('The resources that are monitored stay while their group is away, however long', async () => {
    await look(version('example.com', 'things'));
    for (let looks = 0; looks < 5; looks++) await look(away('example.com'));
    expect([[...leased], forgotten]).toEqual([['things'], []]);
    expect(monitors.isUnknown({ group: 'example.com' })).toBe(true);
  });

  it('The resources that are monitored stay when the server cannot be asked', async () => {
    await look(version('', 'pods'));
    served = new Error('no server');
    await expect(monitors.refresh()).rejects.toThrow('no server');
    expect([...leased]).toEqual(['pods']);
  });

  it('The resources that are monitored are looked up anew once for all definitions that change together', async () => {
    await look(version('apiextensions.k8s.io', 'customresourcedefinitions'));
    const [, rediscovery] = handlers.get('customresourcedefinitions')!;
    served = [version('apiextensions.k8s.io', 'customresourcedefinitions'), version('example.com', 'things')];
    for (let changes = 0; changes < 3; changes++) rediscovery!.onAdd!({}, false);
    rediscovery!.onAdd!({}, true);
    await clock.advance(1000);
    expect(looks).toBe(2);
    expect([...leased]).toContain('things');
  });

  it('The resources that are monitored are none after the end', async () => {
    await look(version('', 'pods'));
    monitors.stop();
    monitors.apply(new Discovery([version('', 'pods')]));
    expect([...leased]).toEqual([]);
  });
});
