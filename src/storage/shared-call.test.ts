import { describe, expect, test } from 'vitest';
import { createSharedCall, createSharedCalls } from './shared-call.ts';

/** A call whose answers a test gives one by one. */
function controlled(): {
  call: () => Promise<number>;
  sent: () => number;
  answer: (value: number) => void;
  fail: (error: Error) => void;
} {
  const waiting: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
  let sent = 0;
  return {
    call: () => {
      sent++;
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    sent: () => sent,
    answer: (value) => waiting.shift()!.resolve(value),
    fail: (error) => waiting.shift()!.reject(error),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('a shared call', () => {
  test('A shared call is one call for all callers that ask before it is sent', async () => {
    const { call, sent, answer } = controlled();
    const ask = createSharedCall(call);
    const [first, second] = [ask(), ask()];
    await turn();
    expect(sent()).toBe(1);
    answer(7);
    expect(await Promise.all([first, second])).toEqual([7, 7]);
  });

  test('A shared call is made again for a caller that asks while one runs, after its end', async () => {
    const { call, sent, answer } = controlled();
    const ask = createSharedCall(call);
    const early = ask();
    await turn();
    const late = [ask(), ask()];
    await turn();
    expect(sent()).toBe(1);
    answer(1);
    expect(await early).toBe(1);
    await turn();
    expect(sent()).toBe(2);
    answer(2);
    expect(await Promise.all(late)).toEqual([2, 2]);
  });

  test('A shared call that fails, fails for the callers that shared it and not for the next one', async () => {
    const { call, answer, fail } = controlled();
    const ask = createSharedCall(call);
    const early = ask();
    await turn();
    const late = ask();
    fail(new Error('gone'));
    await expect(early).rejects.toThrow('gone');
    await turn();
    answer(2);
    expect(await late).toBe(2);
  });

  test('A shared call by key is shared by key', async () => {
    const calls: string[] = [];
    const ask = createSharedCalls(async (key: string) => calls.push(key));
    await Promise.all([ask('a'), ask('b'), ask('a')]);
    await ask('a');
    expect(calls.sort()).toEqual(['a', 'a', 'b']);
  });
});
