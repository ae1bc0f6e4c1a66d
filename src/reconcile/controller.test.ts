import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { changesOf, Controller, type ControllerOptions, TerminalError } from './controller.ts';
import { Informer } from './informer.ts';
import { ExponentialRateLimiter } from './rate-limiter.ts';
import { MemorySource } from './testing/memory-source.ts';

const setUp = (sync: ControllerOptions['sync'], more: Partial<ControllerOptions> = {}) => {
  const clock = new FakeClock();
  const failures: [string, unknown][] = [];
  const controller = new Controller({
    sync,
    onFailure: (key, error) => failures.push([key, error]),
    workers: 10,
    rateLimiter: new ExponentialRateLimiter({ firstMs: 10, maxMs: 35 }),
    clock,
    ...more,
  });
  controller.start();
  onTestFinished(() => controller.stop());
  return { clock, controller, failures };
};

describe('a controller', () => {
  test('A controller tries again after delays that grow to an end, and begin anew after a success', async () => {
    const at: number[] = [];
    let fails = 5;
    const { clock, controller, failures } = setUp(() => {
      at.push(clock.now());
      if (fails-- > 0) throw new Error('no');
      return Promise.resolve({ requeueAfterMs: 100 });
    });
    controller.add('a');
    await clock.advance(0);
    await clock.advance(124);
    expect(at).toEqual([0, 10, 30, 65, 100]);
    expect(failures[0]).toEqual(['a', new Error('no')]);
    await clock.advance(11);
    fails = 1;
    await clock.advance(110);
    expect(at.slice(5)).toEqual([135, 235, 245]);
    await controller.stop();
    expect(clock.pending).toBe(0);
  });

  test('A controller works on a key once at a time; being asked meanwhile leads to one more', async () => {
    const ends: (() => void)[] = [];
    const { clock, controller } = setUp(() => new Promise((resolve) => ends.push(() => resolve(undefined))));
    for (let i = 0; i < 3; i++) controller.add('a');
    await clock.advance(0);
    controller.add('a');
    controller.add('a');
    await clock.advance(0);
    expect(ends).toHaveLength(1);
    ends[0]!();
    await clock.advance(1000);
    expect(ends).toHaveLength(2);
    ends[1]!();
    await clock.advance(1000);
    expect(ends).toHaveLength(2);
  });

  test('A controller has no more keys under way than workers, and one that hangs stops no others', async () => {
    const order: string[] = [];
    const { clock, controller } = setUp(
      (key, signal) => {
        order.push(key);
        return key === 'hangs'
          ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
          : Promise.resolve(undefined);
      },
      { workers: 2 },
    );
    for (const key of ['hangs', 'b', 'c', 'd']) controller.add(key);
    await clock.advance(0);
    expect(order).toEqual(['hangs', 'b', 'c', 'd']);
    await controller.stop();
    controller.add('e');
    expect(order).toHaveLength(4);
  });

  test('A controller drops the delay of a key that is asked for before it is over', async () => {
    let runs = 0;
    const { clock, controller } = setUp(() => Promise.resolve(++runs < 3 ? { requeueAfterMs: 50 } : undefined));
    controller.add('a');
    await clock.advance(0);
    await clock.advance(20);
    controller.add('a');
    await clock.advance(0);
    await clock.advance(49);
    expect(runs).toBe(2);
    await clock.advance(1);
    expect([runs, clock.pending]).toEqual([3, 0]);
  });

  test.each([
    {
      name: 'that throws',
      sync: () => {
        throw new Error('no');
      },
      tries: 4,
      told: true,
    },
    { name: 'that rejects', sync: () => Promise.reject(new Error('no')), tries: 4, told: true },
    { name: 'that asks for another try', sync: () => Promise.resolve('retry' as const), tries: 4, told: false },
    { name: 'that throws a TerminalError', sync: () => Promise.reject(new TerminalError('no')), tries: 1, told: true },
    { name: 'that is done', sync: () => Promise.resolve(undefined), tries: 1, told: false },
  ])('A controller has other keys done beside a sync $name', async ({ sync, tries, told }) => {
    const runs: string[] = [];
    const { clock, controller, failures } = setUp(
      (key) => {
        runs.push(key);
        return key === 'odd' ? sync() : Promise.resolve(undefined);
      },
      { workers: 1 },
    );
    for (const key of ['odd', 'a', 'b']) controller.add(key);
    await clock.advance(0);
    await clock.advance(70);
    expect(runs.slice(0, 3)).toEqual(['odd', 'a', 'b']);
    expect(runs.filter((key) => key === 'odd')).toHaveLength(tries);
    expect(failures).toHaveLength(told ? tries : 0);
  });

  test('A controller waits at its stop for what is under way, which gets a signal', async () => {
    let end: (error: Error) => void = () => undefined;
    let isAborted = false;
    const { clock, controller, failures } = setUp((_, signal) => {
      signal.addEventListener('abort', () => (isAborted = true));
      return new Promise((_, reject) => (end = reject));
    });
    controller.add('a');
    await clock.advance(0);
    let isStopped = false;
    const stopped = controller.stop().then(() => (isStopped = true));
    await clock.advance(0);
    expect([isAborted, isStopped]).toEqual([true, false]);
    end(new Error('given up'));
    await stopped;
    expect([failures, clock.pending]).toEqual([[], 0]);
  });
});

describe('a controller with informers', () => {
  const startWith = async (...names: readonly string[]) => {
    const clock = new FakeClock();
    const source = new MemorySource();
    for (const name of names) source.set(name);
    const informer = new Informer({ source, log: silentLogger, clock });
    const synced: string[] = [];
    const controller = new Controller({
      sync: (key) => Promise.resolve(void synced.push(key)),
      onFailure: () => undefined,
      workers: 1,
      clock,
      triggers: [changesOf(informer, ({ name, data }) => (data === '' ? [name] : [name, data]))],
    });
    onTestFinished(async () => {
      await controller.stop();
      await informer.stop();
    });
    controller.start();
    return { clock, source, informer, controller, synced };
  };

  test('A controller with informers works on nothing before they are synced, and then on each object', async () => {
    const { clock, source, informer, synced, controller } = await startWith('a', 'b');
    controller.add('own');
    await clock.advance(0);
    expect(synced).toEqual([]);
    source.isAway = true;
    informer.start();
    await clock.advance(0);
    expect(synced).toEqual([]);
    source.isAway = false;
    await clock.advance(10_000);
    expect(synced).toEqual(['own', 'a', 'b']);
  });

  test('A controller with informers is woken for the keys of an object before and after a change', async () => {
    const { clock, source, informer, synced } = await startWith('a');
    informer.start();
    await clock.advance(0);
    const take = async (): Promise<string[]> => {
      await clock.advance(0);
      return synced.splice(0);
    };
    expect(await take()).toEqual(['a']);
    source.set('a', 'x');
    expect(await take()).toEqual(['a', 'x']);
    source.set('a', 'y');
    expect(await take()).toEqual(['a', 'x', 'y']);
    source.remove('a');
    expect(await take()).toEqual(['a', 'y']);
  });

  test('A controller with informers works once on a key whose changes come together', async () => {
    const { clock, source, informer, synced } = await startWith();
    informer.start();
    await clock.advance(0);
    source.set('a');
    source.set('a');
    source.remove('a');
    await clock.advance(0);
    expect(synced).toEqual(['a']);
  });

  test('A controller with informers is not woken any more once it is stopped', async () => {
    const { clock, source, informer, synced, controller } = await startWith();
    informer.start();
    await clock.advance(0);
    await controller.stop();
    source.set('a');
    await clock.advance(0);
    expect(synced).toEqual([]);
  });

  test('A controller with informers stops while they are not synced', async () => {
    const { controller } = await startWith();
    await controller.stop();
  });
});
