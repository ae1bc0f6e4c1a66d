import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { FairQueue, SeatRequest } from './fair-queue.ts';
import { FairQueues, type QueueMode } from './fair-queues.ts';
import { QueueHeap } from './queue-heap.ts';

const observer = {
  queued: () => undefined,
  running: () => undefined,
  enqueued: () => undefined,
  notAccommodated: () => undefined,
};

class Scene {
  readonly clock = new FakeClock();
  readonly queues: FairQueues;
  /** Names of requests in the order in which they started. */
  readonly started: string[] = [];
  readonly #running = new Map<string, SeatRequest>();

  constructor(mode: QueueMode, limit: number) {
    this.queues = new FairQueues(this.clock, mode, limit);
  }

  enter(flow: string, name: string, seats = 1): string {
    const request = new SeatRequest({ flowSchema: 's', distinguisher: flow, seats, observer, about: name });
    request.onStart = () => void this.started.push(name);
    this.#running.set(name, request);
    const entry = this.queues.enter(request);
    if (entry === 'running' && request.queue === undefined) this.started.push(name);
    return entry;
  }

  async finish(name: string, ms: number): Promise<void> {
    await this.clock.advance(ms);
    this.queues.finish(this.#running.get(name)!);
  }

  send(name: string): void {
    this.queues.send(this.#running.get(name)!);
  }

  leave(name: string): boolean {
    return this.queues.leave(this.#running.get(name)!, 'time-out');
  }
}

const manyQueues = { queues: 64, handSize: 1, queueLengthLimit: 50 };
const oneQueue = { queues: 1, handSize: 1, queueLengthLimit: 2 };

describe('a level without queues', () => {
  test('A level that rejects has as many requests as seats', async () => {
    const scene = new Scene('reject', 2);
    expect(['a', 'b', 'c'].map((name) => scene.enter('f', name))).toEqual(['running', 'running', 'refused']);
    await scene.finish('a', 1);
    expect(scene.enter('f', 'd')).toBe('running');
    expect(scene.queues).toMatchObject({ dispatched: 3, rejected: 1, seatsInUse: 2 });
  });

  test('A request for more seats than there are runs alone', async () => {
    const scene = new Scene('reject', 2);
    expect([scene.enter('f', 'wide', 5), scene.enter('f', 'next')]).toEqual(['running', 'refused']);
    await scene.finish('wide', 1);
    expect([scene.enter('f', 'small'), scene.enter('f', 'wide again', 5)]).toEqual(['running', 'refused']);
  });

  test('An exempt level refuses nothing', () => {
    const scene = new Scene('exempt', 0);
    for (let i = 0; i < 100; i++) expect(scene.enter('f', String(i), 10)).toBe('running');
    expect(scene.queues.seatsInUse).toBe(1000);
  });
});

describe('answers that are being sent', () => {
  const lists = (scene: Scene): string[] => ['list 1', 'list 2', 'list 3'].map((name) => scene.enter('f', name, 4));

  test('Narrow requests use the seats of lists that are only sent, all but one of each', async () => {
    const scene = new Scene(manyQueues, 8);
    expect(lists(scene)).toEqual(['running', 'running', 'waiting']);
    expect(scene.enter('g', 'early')).toBe('waiting');
    scene.send('list 1');
    expect(scene.started).toEqual(['list 1', 'list 2', 'early']);
    expect(['a', 'b', 'c'].map((name) => scene.enter('g', name))).toEqual(['running', 'running', 'waiting']);
    await scene.finish('early', 1);
    expect(scene.started.slice(3)).toEqual(['a', 'b', 'c']);
  });

  test('Narrow requests pass by a list that waits, and keep no seat from it', async () => {
    const scene = new Scene({ ...manyQueues, queues: 1024 }, 8);
    lists(scene);
    scene.send('list 1');
    // By virtual time the list that waits is next.
    await scene.clock.advance(1000);
    expect(['a', 'b', 'c', 'd'].map((name) => scene.enter(name, name))).toEqual([
      'running',
      'running',
      'running',
      'waiting',
    ]);
    scene.send('list 2');
    expect(scene.started.slice(2)).toEqual(['a', 'b', 'c', 'd']);
    await scene.finish('list 1', 0);
    expect(scene.started).not.toContain('list 3');
    await scene.finish('a', 1);
    expect(scene.started).toContain('list 3');
  });

  test('No seat is left over or missing once all has ended', async () => {
    const scene = new Scene(manyQueues, 8);
    lists(scene);
    for (const name of ['list 1', 'list 1', 'list 2']) scene.send(name);
    scene.enter('g', 'a');
    for (const name of ['list 2', 'a', 'list 1', 'list 3']) await scene.finish(name, 1);
    expect(scene.queues).toMatchObject({ seatsInUse: 0, running: 0, waiting: 0 });
    const names = Array.from({ length: 9 }, (_, i) => `narrow ${i}`);
    expect(names.map((name) => scene.enter('h', name)).filter((entry) => entry === 'running')).toHaveLength(8);
  });
});

describe('a level with queues', () => {
  test('A request waits until a seat is free, and is refused when its queue is full', async () => {
    const scene = new Scene(oneQueue, 1);
    expect(['a', 'b', 'c', 'd'].map((name) => scene.enter('f', name))).toEqual([
      'running',
      'waiting',
      'waiting',
      'refused',
    ]);
    await scene.finish('a', 5);
    expect(scene.started).toEqual(['a', 'b']);
    await scene.finish('b', 5);
    await scene.finish('c', 5);
    expect(scene.started).toEqual(['a', 'b', 'c']);
    expect(scene.queues).toMatchObject({ isIdle: true, seatsInUse: 0, seatsWaiting: 0, dispatched: 3, rejected: 1 });
  });

  test('A request that gives up makes way for those behind it', async () => {
    const scene = new Scene({ ...oneQueue, queueLengthLimit: 5 }, 2);
    scene.enter('f', 'running');
    scene.enter('f', 'wide', 2);
    scene.enter('f', 'small');
    expect(scene.started).toEqual(['running']);
    expect(scene.leave('wide')).toBe(true);
    expect(scene.started).toEqual(['running', 'small']);
    expect(scene.leave('small')).toBe(false);
    expect(scene.queues).toMatchObject({ waiting: 0, timedOut: 1, rejected: 1 });
  });

  test('A flow with many requests does not hold up one with few', async () => {
    const scene = new Scene(manyQueues, 1);
    for (let i = 0; i < 20; i++) scene.enter('busy', `busy-${i}`);
    scene.enter('quiet', 'quiet-0');
    for (let i = 0; i < 3; i++) await scene.finish(scene.started.at(-1)!, 10);
    expect(scene.started.indexOf('quiet-0')).toBeLessThan(3);
  });

  test('Two flows that always wait take turns, by the seats and the time that they use', async () => {
    const scene = new Scene(manyQueues, 4);
    const made = { wide: 0, small: 0 };
    const keepWaiting = (): void => {
      for (const [flow, seats] of [
        ['wide', 4],
        ['small', 1],
      ] as const)
        while (made[flow] - scene.started.filter((name) => name.startsWith(flow)).length < 5)
          scene.enter(flow, `${flow}-${made[flow]++}`, seats);
    };
    const used = { wide: 0, small: 0 };
    const open = new Set<string>();
    let seen = 0;
    for (let round = 0; round < 400; round++) {
      keepWaiting();
      for (const name of scene.started.slice(seen)) open.add(name);
      seen = scene.started.length;
      const [next] = open;
      open.delete(next!);
      const flow = next!.startsWith('wide') ? 'wide' : 'small';
      used[flow] += flow === 'wide' ? 4 : 1;
      await scene.finish(next!, 5);
    }
    // Requests of one seat run beside each other, so theirs last as long while others pass.
    expect(used.wide).toBeGreaterThan(0);
    expect(used.small).toBeGreaterThan(0);
    expect(used.wide / used.small).toBeLessThan(8);
    expect(used.small / used.wide).toBeLessThan(8);
  });

  test('A queue that was idle has saved up nothing', async () => {
    const scene = new Scene(manyQueues, 1);
    for (let i = 0; i < 30; i++) scene.enter('busy', `busy-${i}`);
    for (let i = 0; i < 10; i++) await scene.finish(scene.started.at(-1)!, 100);
    for (let i = 0; i < 10; i++) scene.enter('late', `late-${i}`);
    const before = scene.started.length;
    for (let i = 0; i < 8; i++) await scene.finish(scene.started.at(-1)!, 100);
    const since = scene.started.slice(before);
    expect(since.filter((name) => name.startsWith('busy')).length).toBeGreaterThanOrEqual(3);
    expect(since.filter((name) => name.startsWith('late')).length).toBeGreaterThanOrEqual(3);
  });
});

describe('a level of as many queues as validation allows', () => {
  const allowed = { queues: 10_000_000, handSize: 2, queueLengthLimit: 50 };

  test('Queues exist while they have requests', async () => {
    const scene = new Scene(allowed, 1);
    expect(scene.queues.active.size).toBe(0);
    for (let i = 0; i < 100; i++) scene.enter(`flow-${i}`, `${i}`);
    expect(scene.queues.active.size).toBeLessThanOrEqual(100);
    for (let i = 0; i < 100; i++) await scene.finish(scene.started.at(-1)!, 1);
    expect(scene.queues).toMatchObject({ isIdle: true, queueCount: 10_000_000, active: new Map() });
  });

  test('Flows with as much work are served in the order in which they came', async () => {
    const scene = new Scene(allowed, 1);
    for (let i = 0; i < 500; i++) scene.enter(`flow-${i}`, `${i}`);
    for (let i = 0; i < 500; i++) await scene.finish(scene.started.at(-1)!, 0);
    expect(scene.started).toEqual(Array.from({ length: 500 }, (_, i) => `${i}`));
  });

  test('The next queue is found in the logarithm of the queues in which requests wait', () => {
    const queues = 1024;
    const heap = new QueueHeap();
    let looks = 0;
    class Counted extends FairQueue {
      override get headFinish(): number {
        looks++;
        return super.headFinish;
      }
    }
    const all = Array.from({ length: queues }, (_, i) => {
      const queue = new Counted(i);
      queue.nextStart = (i * 7919) % queues;
      queue.add(new SeatRequest({ flowSchema: 's', distinguisher: '', seats: 1, observer, about: i }));
      heap.place(queue);
      return queue;
    });
    looks = 0;
    const order: number[] = [];
    while (heap.first !== undefined) {
      order.push(heap.first.nextStart);
      heap.first.remove(heap.first.head!);
      heap.place(heap.first);
    }
    expect(order).toEqual(all.map((_, i) => i));
    // Two looks for each of the two queues that are compared, twice a level of the heap.
    expect(looks).toBeLessThan(queues * 4 * Math.log2(queues));
  });

  test('A queue that gives up requests from its middle keeps the order of the others', async () => {
    const scene = new Scene({ ...allowed, queues: 1, handSize: 1 }, 1);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) scene.enter('f', name);
    expect(['c', 'b', 'f'].map((name) => scene.leave(name))).toEqual([true, true, true]);
    scene.enter('f', 'g');
    for (let i = 0; i < 4; i++) await scene.finish(scene.started.at(-1)!, 1);
    expect(scene.started).toEqual(['a', 'd', 'e', 'g']);
  });
});

describe('a level that changes', () => {
  test('More seats let waiting requests go on', () => {
    const scene = new Scene(manyQueues, 1);
    for (let i = 0; i < 4; i++) scene.enter('f', `${i}`);
    scene.queues.configure(manyQueues, 3);
    expect(scene.started).toEqual(['0', '1', '2']);
  });

  test('Queues that are too many go when they are empty, and what waits in them goes on first', async () => {
    const scene = new Scene(manyQueues, 1);
    for (let i = 0; i < 40; i++) scene.enter(`flow-${i}`, `${i}`);
    scene.queues.configure({ queues: 2, handSize: 1, queueLengthLimit: 50 }, 1);
    expect(scene.queues.active.size).toBeGreaterThan(2);
    for (let i = 0; i < 40; i++) await scene.finish(scene.started.at(-1)!, 1);
    expect(scene.started).toHaveLength(40);
    expect(scene.queues).toMatchObject({ queueCount: 2, active: new Map() });
    for (let i = 0; i < 40; i++) scene.enter(`flow-${i}`, `late-${i}`);
    expect([...scene.queues.active.keys()].sort()).toEqual([0, 1]);
  });

  test('A level that rejects from now on still serves what waits', async () => {
    const scene = new Scene(oneQueue, 1);
    scene.enter('f', 'a');
    scene.enter('f', 'b');
    scene.queues.configure('reject', 1);
    expect(scene.enter('f', 'c')).toBe('refused');
    await scene.finish('a', 1);
    await scene.finish('b', 1);
    expect(scene.started).toEqual(['a', 'b']);
    expect(scene.queues).toMatchObject({ queueCount: 0, active: new Map() });
  });
});
