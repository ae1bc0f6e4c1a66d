import { describe, expect, test } from 'vitest';
import { abortable } from './abortable.ts';

const never = new Promise<number>(() => undefined);

describe('abortable', () => {
  test('Abortable is the promise when nothing is aborted', async () => {
    expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error('no')), new AbortController().signal)).rejects.toThrow('no');
  });

  test('Abortable ends with the reason of the signal, aborted later or before', async () => {
    const abort = new AbortController();
    const waiting = abortable(never, abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(abortable(never, abort.signal)).rejects.toThrow('enough');
  });

  test('A promise that fails after the abort causes no unhandled rejection', async () => {
    const abort = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const waiting = abortable(new Promise<number>((_resolve, reject) => (fail = reject)), abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
