import { MessageChannel } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Method, PortCalls } from './message-port-calls.ts';

const errors = {
  encode: (error: unknown) => (error as Error).message,
  decode: (message: unknown) => new Error(`there: ${String(message)}`),
};

function connected(methods: Readonly<Record<string, Method>>): { readonly here: PortCalls; readonly there: PortCalls } {
  const { port1, port2 } = new MessageChannel();
  const here = new PortCalls(port1, { errors });
  const there = new PortCalls(port2, { methods, errors });
  onTestFinished(() => here.close(new Error('over')));
  onTestFinished(() => there.close(new Error('over')));
  return { here, there };
}

/** Ends when the signal aborts, with what it was told. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('a call over a port', () => {
  test('A call over a port is answered with what the method gives', async () => {
    const { here } = connected({ sum: (([a, b]: readonly number[]) => a! + b!) as unknown as Method });
    expect(await here.call('sum', [1, 2])).toBe(3);
  });

  test('A call over a port fails with the translated error', async () => {
    const { here } = connected({ fail: () => Promise.reject(new Error('no')) });
    await expect(here.call('fail', [])).rejects.toThrow('there: no');
  });

  test('A call over a port fails where there is no such method', async () => {
    const { here } = connected({});
    await expect(here.call('nothing', [])).rejects.toThrow('there: there is no method nothing');
  });

  test('A call over a port ends at once when it is aborted, and its signal aborts on the other side', async () => {
    let heard: (() => void) | undefined;
    const hears = new Promise<void>((resolve) => (heard = resolve));
    const { here } = connected({ wait: (_, signal) => untilAborted(signal).finally(() => heard!()) });
    const controller = new AbortController();
    const call = here.call('wait', [], { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await hears;
  });

  test('A call over a port fails when the other side goes away', async () => {
    const { here, there } = connected({ wait: (_, signal) => untilAborted(signal) });
    const call = here.call('wait', []);
    there.close(new Error('gone'));
    await expect(call).rejects.toThrow('the other side is gone');
    await expect(here.call('wait', [])).rejects.toThrow('the other side is gone');
  });

  test('A call over a port hands buffers over where it is told to', async () => {
    const { here } = connected({ size: (([bytes]: readonly ArrayBuffer[]) => bytes!.byteLength) as unknown as Method });
    const bytes = new ArrayBuffer(8);
    expect(await here.call('size', [bytes], { transfer: [bytes] })).toBe(8);
    expect(bytes.byteLength).toBe(0);
  });
});

describe('a stream over a port', () => {
  const numbers = async function* (_: unknown, signal: AbortSignal): AsyncGenerator<number> {
    for (let i = 1; !signal.aborted; i++) {
      yield i;
      if (i === 3) await untilAborted(signal);
    }
  };

  test('A stream over a port gives every item in order, and the error that ends it', async () => {
    const { here } = connected({
      numbers: async function* () {
        yield 1;
        yield 2;
        throw new Error('no');
      },
    });
    const seen: unknown[] = [];
    await expect(
      (async () => {
        for await (const item of here.stream('numbers', [], new AbortController().signal)) seen.push(item);
      })(),
    ).rejects.toThrow('there: no');
    expect(seen).toEqual([1, 2]);
  });

  test('A stream over a port ends without an error when it is aborted', async () => {
    const { here } = connected({ numbers });
    const controller = new AbortController();
    const seen: unknown[] = [];
    for await (const item of here.stream('numbers', [], controller.signal)) {
      seen.push(item);
      if (item === 3) controller.abort(new Error('enough'));
    }
    expect(seen).toEqual([1, 2, 3]);
  });

  test('A stream over a port is aborted on the other side when its reader leaves', async () => {
    let heard: (() => void) | undefined;
    const hears = new Promise<void>((resolve) => (heard = resolve));
    const { here } = connected({
      numbers: (args, signal) => (signal.addEventListener('abort', () => heard!()), numbers(args, signal)),
    });
    for await (const item of here.stream('numbers', [], new AbortController().signal)) if (item === 2) break;
    await hears;
  });
});
