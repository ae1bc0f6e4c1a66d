import inspector from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeWork, type Work } from '../../base/work-description.ts';
import { type Stall, type StallListener, watchEventLoop } from './detector.ts';
import { holdUntilSeen } from './testing/stall.ts';

const thresholdMs = 100;

class Request implements Work {
  readonly #user: string;
  readonly verb: string;

  constructor(verb: string, user: string) {
    this.verb = verb;
    this.#user = user;
  }

  [describeWork](): Record<string, string> {
    return { verb: this.verb, user: this.#user };
  }
}

/** The next stall that is told. */
function watching(options: Partial<StallListener> = {}): {
  readonly told: Promise<Stall>;
  readonly all: Stall[];
  readonly end: () => Promise<void>;
} {
  const all: Stall[] = [];
  let tell: (stall: Stall) => void = () => undefined;
  const told = new Promise<Stall>((resolve, reject) => {
    tell = resolve;
    options = { onFailure: reject, ...options };
  });
  const end = watchEventLoop({
    thresholdMs,
    onStall: (stall) => {
      all.push(stall);
      // Machines that are busy may hold this thread up by themselves.
      if (stall.stack.some((frame) => frame.startsWith('holdUntilSeen'))) tell(stall);
    },
    onFailure: () => undefined,
    ...options,
  });
  onTestFinished(end);
  return { told, all, end };
}

/**
 * What is told of a stall. The thread is held for a limited time, in which a busy machine may not find out what was at
 * work: then it is made to stall again.
 */
async function inspected(stall: (request: Request) => unknown, attempts = 5): Promise<Stall> {
  const { told, end } = watching();
  await stall(new Request('create', 'jane'));
  const found = await told;
  await end();
  return found.work !== undefined || attempts === 1 ? found : inspected(stall, attempts - 1);
}

const next = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const stalls: readonly { name: string; stall: (request: Request) => unknown; frames: readonly string[] }[] = [
  {
    name: 'a function',
    stall: function judge(request) {
      holdUntilSeen();
      return request;
    },
    frames: ['judge'],
  },
  {
    name: 'a function that no longer needs it',
    stall: function judge(_request) {
      holdUntilSeen();
    },
    frames: ['judge'],
  },
  {
    name: 'an async function that goes on',
    stall: async function decodeBody(request) {
      await next();
      holdUntilSeen();
      return request;
    },
    frames: ['decodeBody'],
  },
  {
    name: 'a generator',
    stall: async function run(request) {
      function* validate(_one: Request): Generator<void> {
        yield;
        holdUntilSeen();
      }
      const steps = validate(request);
      steps.next();
      await next();
      steps.next();
    },
    frames: ['validate', 'run'],
  },
  {
    name: 'a closure',
    stall: (request) =>
      (async function admit() {
        await next();
        holdUntilSeen();
        return request;
      })(),
    frames: ['admit'],
  },
  {
    name: 'a method of it',
    stall: (request) =>
      Object.assign(request, {
        encode: function encode() {
          holdUntilSeen();
        },
      }).encode(),
    frames: ['encode'],
  },
  {
    name: 'a callback',
    stall: (request) =>
      new Promise<void>((resolve) =>
        setImmediate(function answer() {
          holdUntilSeen();
          resolve(void request);
        }),
      ),
    frames: ['answer'],
  },
];

describe('a stall', () => {
  test.each(stalls)(
    'A stall is told with what was at work, and with the functions on the stack: in $name',
    async ({ stall, frames }) => {
      const { work, stack, seconds } = await inspected(stall);
      expect(work).toEqual({ verb: 'create', user: 'jane' });
      const names = stack.map((frame) => frame.split(' ', 1)[0]);
      expect(names.filter((name) => name === 'holdUntilSeen' || frames.includes(name!))).toEqual([
        'holdUntilSeen',
        ...frames,
      ]);
      expect(seconds).toBeGreaterThan(thresholdMs / 1000);
    },
  );

  test('A stall that follows another one at once is told as well', async () => {
    const { all, told } = watching();
    holdUntilSeen();
    (function again() {
      holdUntilSeen();
    })();
    await told;
    expect(all.flatMap(({ stack }) => stack.map((frame) => frame.split(' ', 1)[0]))).toContain('again');
  });

  test('A stall of one request is not blamed on another one that waits', async () => {
    const { told } = watching();
    const waits = async (request: Request): Promise<Request> => {
      await told;
      return request;
    };
    const stands = async (request: Request): Promise<Request> => {
      await next();
      holdUntilSeen();
      return request;
    };
    await Promise.all([
      waits(new Request('get', 'joe')),
      stands(new Request('patch', 'jane')),
      waits(new Request('list', 'jim')),
    ]);
    expect((await told).work).toEqual({ verb: 'patch', user: 'jane' });
  });

  test('A stall of which nothing says what it is has its stack', async () => {
    const { told } = watching();
    await (async function lonely() {
      await next();
      holdUntilSeen();
    })();
    const { work, stack } = await told;
    expect(work).toBeUndefined();
    expect(stack).toContainEqual(expect.stringMatching(/^lonely \(.*:\d+:\d+\)$/));
  });

  test('A stall is reported to all watchers, and no more to those that have stopped', async () => {
    const [first, second, third] = [watching(), watching(), watching()];
    await third.end();
    holdUntilSeen();
    expect((await first.told).stack[0]).toBe((await second.told).stack[0]);
    expect(third.all).toEqual([]);
  });

  test('A stall is told to a hundred by one thread, which ends with the last of them', async () => {
    const threads: Worker[] = [];
    const exits: number[] = [];
    const add = (worker: Worker): void => {
      threads.push(worker);
      worker.once('exit', (code) => exits.push(code));
    };
    process.on('worker', add);
    onTestFinished(() => void process.off('worker', add));
    const ends = Array.from({ length: 100 }, () => watching().end);
    for (const end of ends.slice(1)) await end();
    await next();
    expect([threads.length, exits]).toEqual([1, []]);
    await ends[0]!();
    expect(exits).toEqual([0]);
  });

  test('A stall is inspected without opening a port', async () => {
    const { told } = watching();
    function look(): string | undefined {
      holdUntilSeen();
      return inspector.url();
    }
    expect(look()).toBeUndefined();
    await told;
    expect(inspector.url()).toBeUndefined();
  });
});
