import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { keepIptablesHint } from './iptables-hint.ts';

/** @param answer what a program says as its error; undefined: it has done it */
function keep(answer: (program: string, call: number) => string | undefined) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const warnings: string[] = [];
  const ended = new AbortController();
  const log = { ...silentLogger, warn: ({ program }: { program: string }) => void warnings.push(program) };
  const keeping = keepIptablesHint(
    {
      clock,
      log: log as unknown as typeof silentLogger,
      run(program, words) {
        calls.push([program, ...words].join(' '));
        const stderr = answer(program, calls.length);
        return stderr === undefined
          ? Promise.resolve()
          : Promise.reject(Object.assign(new Error('failed'), { stderr }));
      },
    },
    ended.signal,
  );
  onTestFinished(async () => {
    ended.abort();
    await keeping;
  });
  return { clock, calls, warnings };
}

test('The chain is made for both families, and again each minute', async () => {
  const { clock, calls, warnings } = keep((_, call) => (call > 2 ? 'iptables: Chain already exists.' : undefined));
  await expect.poll(() => calls.length).toBe(2);
  expect(calls).toEqual([
    'iptables -w 5 -t mangle -N KUBE-IPTABLES-HINT',
    'ip6tables -w 5 -t mangle -N KUBE-IPTABLES-HINT',
  ]);
  await clock.advance(60_000);
  await expect.poll(() => calls.length).toBe(4);
  expect(warnings).toEqual([]);
});

test('A family that cannot have it is told once, and not tried again', async () => {
  const { clock, calls, warnings } = keep((program) => (program === 'ip6tables' ? 'no such table' : undefined));
  await expect.poll(() => calls.length).toBe(2);
  await clock.advance(60_000);
  await expect.poll(() => calls.length).toBe(3);
  expect(warnings).toEqual(['ip6tables']);
});
