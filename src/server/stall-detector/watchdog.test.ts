/** The watching thread's code, called in this thread with a clock and surroundings of the test's own. */
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type LastWords, slot, slots, type WatchdogMessage } from './messages.ts';
import { watchdog } from './watchdog.ts';
import { joined } from '../../../test/support/patterns.ts';

const ms = 1_000_000n;
const frame = (functionName: string) => ({
  functionName,
  location: { scriptId: '7', lineNumber: 2, columnNumber: 4 },
  scopeChain: [],
  this: { type: 'undefined' },
});

class TestSession extends EventEmitter {
  isOpen = false;
  readonly connect: () => void;

  constructor(connect: () => void) {
    super();
    this.connect = connect;
  }

  connectToMainThread(): void {
    this.connect();
    this.isOpen = true;
  }

  readonly post = (): void => undefined;

  disconnect(): void {
    this.isOpen = false;
  }
}

class Watching {
  now = 0n;
  readonly numbers = new BigInt64Array(new SharedArrayBuffer(slots * 8));
  readonly port = Object.assign(new EventEmitter(), {
    postMessage: (report: WatchdogMessage) => void this.reports.push(report),
    close: () => (this.isClosed = true),
  });
  readonly reports: WatchdogMessage[] = [];
  readonly sessions: TestSession[] = [];
  readonly lines: string[] = [];
  connect: () => void = () => undefined;
  isClosed = false;
  timer: { readonly callback: () => void; readonly at: bigint } | undefined;

  constructor({ lastWords, isMain = true }: { readonly lastWords?: LastWords; readonly isMain?: boolean } = {}) {
    vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => this.now);
    vi.spyOn(process, 'on').mockReturnValue(process);
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, delayMs: number) => {
      if (delayMs !== 500) this.timer = { callback, at: this.now + BigInt(delayMs) * ms };
      return {} as NodeJS.Timeout;
    }) as typeof setTimeout);
    vi.spyOn(globalThis, 'clearTimeout').mockImplementation(() => undefined);
    this.numbers[slot.threshold] = 1000n * ms;
    const { sessions } = this;
    const connect = (): void => this.connect();
    class Session extends TestSession {
      constructor() {
        super(connect);
        sessions.push(this);
      }
    }
    watchdog({
      threads: { workerData: { shared: this.numbers.buffer, isMain, lastWords, slot }, parentPort: this.port },
      inspector: { Session },
      fs: { writeSync: (_: number, line: string) => void this.lines.push(line) },
    } as unknown as Parameters<typeof watchdog>[0]);
  }

  beat(): void {
    this.numbers[slot.beat] = this.now;
  }

  /** Time goes on, and the timer runs when it is due. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + BigInt(milliseconds) * ms;
    while (this.timer !== undefined && this.timer.at <= end) this.run(this.timer.at);
    this.now = end;
    await Promise.resolve();
  }

  run(at: bigint): void {
    const { callback } = this.timer!;
    this.timer = undefined;
    this.now = at;
    callback();
  }

  async pause(...names: readonly string[]): Promise<void> {
    const session = this.sessions.at(-1)!;
    session.emit('Debugger.scriptParsed', { params: { scriptId: '7', url: 'file:///a.js' } });
    session.emit('Debugger.paused', { params: { callFrames: names.map(frame) } });
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }
}

beforeEach(() => vi.restoreAllMocks());
afterEach(() => vi.restoreAllMocks());

describe('the thread that watches', () => {
  test('The thread that watches does nothing while the watched event loop runs', async () => {
    const it = new Watching();
    for (let i = 0; i < 100; i++) {
      it.beat();
      await it.pass(900);
    }
    expect([it.sessions, it.reports]).toEqual([[], []]);
  });

  test('The thread that watches looks into it once when it stands, and lets it go', async () => {
    const it = new Watching();
    await it.pass(5);
    it.beat();
    await it.pass(5000);
    expect([it.sessions.length, it.numbers[slot.seenBeat]]).toEqual([1, 0n]);
    await it.pause('judge', '');
    expect(it.sessions[0]!.isOpen).toBe(false);
    expect(it.reports).toEqual([
      {
        kind: 'stall',
        beat: 5n * ms,
        work: undefined,
        stack: ['judge (file:///a.js:3:5)', '(anonymous) (file:///a.js:3:5)'],
      },
    ]);
    expect(it.numbers[slot.seenBeat]).toBe(5n * ms);
    await it.pass(50_000);
    expect(it.sessions).toHaveLength(1);
  });

  test.each([
    { name: 'runs again before its stack can be read', paused: [] },
    { name: 'runs again when its stack is read', paused: ['noteThatEventLoopTurns', 'listOnTimeout'] },
  ])('The thread that watches has no stack of one that $name', async ({ paused }) => {
    const it = new Watching();
    await it.pass(1100);
    if (paused.length > 0) await it.pause(...paused);
    it.beat();
    await it.pass(2000);
    expect(it.reports[0]).toEqual({ kind: 'stall', beat: 0n, work: undefined, stack: [] });
    expect(it.sessions[0]!.isOpen).toBe(false);
  });

  test.each([
    { name: 'a debugger may be attached', set: (it: Watching) => void (it.numbers[slot.debugger] = 1n), sessions: 0 },
    {
      name: 'there is no inspector',
      set: (it: Watching) =>
        void (it.connect = () => {
          throw new Error('Inspector is not available');
        }),
      sessions: 1,
    },
  ])(
    'The thread that watches does not inspect the watched thread where $name, and reports the stall all the same',
    async ({ set, sessions }) => {
      const it = new Watching();
      set(it);
      await it.pass(1100);
      expect(it.sessions).toHaveLength(sessions);
      expect(it.reports).toEqual([{ kind: 'stall', beat: 0n, work: undefined, stack: [] }]);
    },
  );

  test('The thread that watches does not look into a thread that is not the main one', async () => {
    const it = new Watching({ isMain: false });
    await it.pass(1100);
    expect([it.sessions.length, it.reports.length]).toEqual([0, 1]);
  });

  test('The thread that watches takes a process that was suspended for no stall', async () => {
    const it = new Watching();
    it.beat();
    it.run(60_000n * ms);
    expect(it.reports).toEqual([{ kind: 'suspension', from: 1000n * ms, until: 60_000n * ms }]);
    await it.pass(1100);
    await it.pause('judge');
    expect(it.reports.at(-1)).toMatchObject({ kind: 'stall', stack: ['judge (file:///a.js:3:5)'] });
  });

  test.each<{ format: LastWords; line: RegExp }>([
    {
      format: 'json',
      line: joined(
        /^\{"level":40,"time":"[^"]+","seconds":1[01](\.\d)?,"stack":\["judge \(file:\/\/\/a\.js:3:5\)"\],"msg":"/,
        /the event loop stands still, and has not come back yet"\}\n$/,
      ),
    },
    {
      format: 'text',
      line: joined(
        /^W \d\d:\d\d:\d\d\.\d{3} the event loop stands still, and has not come back yet seconds=1[01](\.\d)? /,
        /stack=\["judge \(file:\/\/\/a\.js:3:5\)"\]\n$/,
      ),
    },
  ])('Logs the stall itself when the watched thread stays blocked, in format $format', async ({ format, line }) => {
    const it = new Watching({ lastWords: format });
    await it.pass(1100);
    await it.pause('judge');
    await it.pass(8000);
    expect(it.lines).toEqual([]);
    await it.pass(60_000);
    expect(it.lines).toEqual([expect.stringMatching(line)]);
  });

  test('The thread that watches ends on request, and not while the watched thread is interrupted', async () => {
    const it = new Watching();
    await it.pass(1100);
    it.port.emit('message', 'stop');
    expect(it.isClosed).toBe(false);
    await it.pause('judge');
    expect([it.isClosed, it.sessions[0]!.isOpen]).toEqual([true, false]);
    const idle = new Watching();
    idle.port.emit('message', 'stop');
    expect(idle.isClosed).toBe(true);
  });
});
