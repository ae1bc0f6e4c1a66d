import { describe, expect, test } from 'vitest';
import { Latch } from './latch.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('latch', () => {
  test('A latch lets all callers through while it is open, and none after it was shut', async () => {
    const latch = new Latch();
    let through = 0;
    const waiting = [latch.wait(), latch.wait()].map((wait) => wait.then(() => through++));
    await turn();
    expect(through).toBe(0);
    latch.open();
    await Promise.all(waiting);
    await latch.wait();
    expect(through).toBe(2);
    latch.shut();
    void latch.wait().then(() => through++);
    await turn();
    expect(through).toBe(2);
  });

  test('Callers of a latch keep waiting when it is shut again before they could go on', async () => {
    const latch = new Latch();
    let through = false;
    void latch.wait().then(() => (through = true));
    latch.open();
    latch.shut();
    await turn();
    expect(through).toBe(false);
    latch.open();
    await turn();
    expect(through).toBe(true);
  });

  test('A wait ends with the reason of its signal, the others go on', async () => {
    const latch = new Latch();
    const abort = new AbortController();
    const [left, stayed] = [latch.wait(abort.signal), latch.wait()];
    abort.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    await expect(latch.wait(abort.signal)).rejects.toThrow('enough');
    latch.open();
    await stayed;
  });

  test('A failed latch fails for callers that wait and for later callers', async () => {
    const latch = new Latch();
    const waiting = latch.wait();
    latch.fail(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(latch.wait()).rejects.toThrow('closed');
  });

  test('A latch that opens after a failure lets all callers through, and shut again makes others wait', async () => {
    const latch = new Latch();
    latch.fail(new Error('not yet'));
    latch.open();
    await latch.wait();
    latch.shut();
    const waiting = latch.wait();
    latch.open();
    await waiting;
  });
});
