import { expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { ProcessEnd, StartedProcess } from './start-process.ts';
import { ProcessSupervisor } from './supervisor.ts';

class FakeProcess implements StartedProcess {
  readonly signals: NodeJS.Signals[] = [];
  readonly exited: Promise<ProcessEnd>;
  end!: (end: Partial<ProcessEnd>) => void;

  constructor() {
    this.exited = new Promise((resolve) => (this.end = (end) => resolve({ code: null, signal: null, ...end })));
  }

  kill(signal: NodeJS.Signals): void {
    this.signals.push(signal);
  }
}

function setUp() {
  const clock = new FakeClock();
  const started: FakeProcess[] = [];
  const told: string[] = [];
  const supervisor = new ProcessSupervisor({
    clock,
    start: () => {
      const process = new FakeProcess();
      started.push(process);
      return process;
    },
    onRestart: ({ name }, { code, signal }, delayMs) => told.push(`${name} ${code ?? signal} ${delayMs}`),
  });
  return { clock, started, told, supervisor };
}

const scheduler = { name: 'scheduler', args: ['scheduler'], logFile: '/dev/null' };

test('A process that ends is started again, later each time', async () => {
  const { clock, started, told, supervisor } = setUp();
  supervisor.add(scheduler);
  for (const delayMs of [1000, 2000, 4000]) {
    started.at(-1)!.end({ code: 1 });
    await clock.advance(0);
    await clock.advance(delayMs - 1);
    const before = started.length;
    await clock.advance(1);
    expect(started.length).toBe(before + 1);
  }
  expect(told).toEqual(['scheduler 1 1000', 'scheduler 1 2000', 'scheduler 1 4000']);
});

test('A process that ran for a minute is started again as soon as after its first end', async () => {
  const { clock, started, told, supervisor } = setUp();
  supervisor.add(scheduler);
  started[0]!.end({ signal: 'SIGKILL' });
  await clock.advance(0);
  await clock.advance(1000);
  await clock.advance(60_000);
  started[1]!.end({ code: 2 });
  await clock.advance(0);
  expect(told).toEqual(['scheduler SIGKILL 1000', 'scheduler 2 1000']);
});

test('Processes end in the opposite order of their start, and are not started again', async () => {
  const { clock, started, told, supervisor } = setUp();
  supervisor.add(scheduler);
  supervisor.add({ ...scheduler, name: 'nodes' });
  const stopped = supervisor.stop();
  await clock.advance(0);
  expect(started.map(({ signals }) => signals)).toEqual([[], ['SIGTERM']]);
  started[1]!.end({ code: 0 });
  await clock.advance(0);
  expect(started[0]!.signals).toEqual(['SIGTERM']);
  started[0]!.end({ code: 0 });
  await stopped;
  expect([told, started.length, clock.pending]).toEqual([[], 2, 0]);
});

test('A process that does not end within 30 s is killed', async () => {
  const { clock, started, supervisor } = setUp();
  supervisor.add(scheduler);
  const stopped = supervisor.stop();
  await clock.advance(30_000);
  expect(started[0]!.signals).toEqual(['SIGTERM', 'SIGKILL']);
  started[0]!.end({ signal: 'SIGKILL' });
  await stopped;
});
