import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { ObjectAttributes, Selection, StoredObject } from '../objects.ts';
import { defaultWatchLimits, WatchQueue } from '../watch-queue.ts';
import { Change } from './change.ts';
import { Watchers } from './watchers.ts';

const prefix = '/registry/pods/';

function object(namespace: string, name: string, node: string, revision: number): StoredObject {
  const attributes: ObjectAttributes = {
    namespace,
    name,
    labels: new Map(),
    fields: new Map([['spec.nodeName', node]]),
  };
  return { key: `${prefix}${namespace}/${name}`, revision, bytes: Buffer.alloc(0), attributes: attributes };
}

class Setup {
  readonly watchers = new Watchers({
    keys: { prefix, namespaced: true },
    indexedFields: ['spec.nodeName'],
    log: silentLogger,
  });
  /** Names of the watchers that were asked about a change. */
  readonly asked: string[] = [];
  readonly told: string[] = [];

  add(name: string, selection: Selection): WatchQueue {
    const matches = (): boolean => this.asked.push(name) > 0;
    const queue: WatchQueue = new WatchQueue({
      onReady: () => void (queue.take().length > 0 && this.told.push(name)),
      limits: defaultWatchLimits,
      position: () => 0,
      onClose: () => this.watchers.remove(queue),
    });
    queue.begin(0);
    queue.take();
    this.watchers.add(queue, { ...selection, matches }, 0);
    return queue;
  }

  change(object: StoredObject, previous?: StoredObject): void {
    this.watchers.deliver([new Change({ key: object.key, revision: object.revision, object, previous, at: 0 })]);
  }
}

describe('live watchers', () => {
  test('Live watchers are asked about a change only where they could be concerned', () => {
    const setup = new Setup();
    setup.add('all', {});
    for (const namespace of ['a', 'b']) setup.add(`namespace ${namespace}`, { namespace });
    for (const node of ['n1', 'n2', 'n3'])
      setup.add(`node ${node}`, { fieldEquals: new Map([['spec.nodeName', node]]) });
    for (const name of ['x', 'y']) setup.add(`name ${name}`, { name });
    for (const namespace of ['a', 'b']) setup.add(`object ${namespace}/x`, { namespace, name: 'x' });
    setup.change(object('a', 'x', 'n1', 1));
    expect([...new Set(setup.asked)].sort()).toEqual(['all', 'name x', 'namespace a', 'node n1', 'object a/x']);
    setup.asked.length = 0;
    setup.change(object('a', 'x', 'n2', 2), object('a', 'x', 'n1', 1));
    expect([...new Set(setup.asked)].sort()).toEqual([
      'all',
      'name x',
      'namespace a',
      'node n1',
      'node n2',
      'object a/x',
    ]);
    expect(setup.told.filter((name) => name.startsWith('node')).sort()).toEqual(['node n1', 'node n1', 'node n2']);
  });

  test('Live watchers leave nothing behind when they go', () => {
    const setup = new Setup();
    const selections: Selection[] = [
      {},
      { namespace: 'a' },
      { fieldEquals: new Map([['spec.nodeName', 'n1']]) },
      { name: 'x' },
      { namespace: 'a', name: 'x' },
    ];
    const queues = selections.map((selection, index) => setup.add(String(index), selection));
    expect([setup.watchers.size, setup.watchers.groups]).toEqual([5, 5]);
    for (const queue of queues) queue.close();
    for (const queue of queues) setup.watchers.remove(queue);
    expect([setup.watchers.size, setup.watchers.groups]).toEqual([0, 0]);
    setup.change(object('a', 'x', 'n1', 1));
    expect(setup.asked).toEqual([]);
  });

  test('Live watchers with the same selector text are one group, without it only by function', () => {
    const { watchers } = new Setup();
    const add = (selection: Selection): void =>
      watchers.add(
        new WatchQueue({
          onReady: () => undefined,
          limits: defaultWatchLimits,
          position: () => 0,
          onClose: () => undefined,
        }),
        selection,
        0,
      );
    const matches = (): boolean => true;
    add({ namespace: 'a', matches, matchesKey: 'app=x' });
    add({ namespace: 'a', matches: () => true, matchesKey: 'app=x' });
    expect(watchers.groups).toBe(1);
    add({ namespace: 'a', matches });
    add({ namespace: 'a', matches });
    expect(watchers.groups).toBe(2);
    add({ namespace: 'a', matches: () => true });
    add({ namespace: 'b', matches, matchesKey: 'app=x' });
    add({ namespace: 'a' });
    expect(watchers.groups).toBe(5);
  });
});
