import { describe, expect, test } from 'vitest';
import { CallEnd } from './call-end.ts';

describe('the end of a call', () => {
  const never = new Promise<never>(() => undefined);
  const aborted = (reason: Error): AbortSignal => AbortSignal.abort(reason);

  test.each<{ name: string; begin: () => CallEnd; reason: string }>([
    {
      name: 'a signal that was aborted before',
      reason: 'gone',
      begin: () => new CallEnd({ signals: [aborted(new Error('gone'))] }),
    },
    {
      name: 'a signal that aborts meanwhile',
      reason: 'left',
      begin: () => {
        const controller = new AbortController();
        const end = new CallEnd({ signals: [new AbortController().signal, controller.signal] });
        queueMicrotask(() => controller.abort(new Error('left')));
        return end;
      },
    },
    {
      name: 'its time limit',
      reason: 'The operation was aborted due to timeout',
      begin: () => new CallEnd({ timeoutMs: 1 }),
    },
    {
      name: 'the end of the client',
      reason: 'stopping',
      begin: () => {
        const end = new CallEnd({});
        queueMicrotask(() => end.end(new Error('stopping')));
        return end;
      },
    },
  ])('A call ends with the reason of $name', async ({ begin, reason }) => {
    await expect(begin().before(never)).rejects.toThrow(reason);
  });

  test('A call that is over is not ended by its limits', async () => {
    const controller = new AbortController();
    const end = new CallEnd({ signals: [controller.signal], timeoutMs: 1 });
    const reasons: unknown[] = [];
    end.listen((reason) => reasons.push(reason));
    end.release();
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(reasons).toEqual([]);
  });

  test('The first reason counts, and the part of the call that is under way is told alone', () => {
    const end = new CallEnd({});
    const told: unknown[] = [];
    end.listen(() => told.push('an earlier part'));
    end.listen((reason) => told.push(reason));
    end.end('first');
    end.end('second');
    expect(told).toEqual(['first']);
  });
});
