import { describe, expect, test } from 'vitest';
import { Gate } from './gate.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('gate', () => {
  test('lets everybody through once it is open, and nobody after it was shut', async () => {
    const gate = new Gate();
    let through = 0;
    const waiting = [gate.wait(), gate.wait()].map((wait) => wait.then(() => through++));
    await turn();
    expect(through).toBe(0);
    gate.open();
    await Promise.all(waiting);
    await gate.wait();
    expect(through).toBe(2);
    gate.shut();
    void gate.wait().then(() => through++);
    await turn();
    expect(through).toBe(2);
  });

  test('shut again before those who waited could go on, they wait on', async () => {
    const gate = new Gate();
    let through = false;
    void gate.wait().then(() => (through = true));
    gate.open();
    gate.shut();
    await turn();
    expect(through).toBe(false);
    gate.open();
    await turn();
    expect(through).toBe(true);
  });

  test('a wait ends with the reason of its signal, the others go on', async () => {
    const gate = new Gate();
    const abort = new AbortController();
    const [left, stayed] = [gate.wait(abort.signal), gate.wait()];
    abort.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    await expect(gate.wait(abort.signal)).rejects.toThrow('enough');
    gate.open();
    await stayed;
  });

  test('failed, it fails for those who wait and for who comes', async () => {
    const gate = new Gate();
    const waiting = gate.wait();
    gate.fail(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(gate.wait()).rejects.toThrow('closed');
  });

  test('failed and opened after all, it lets everybody through, and who comes when it is shut again waits', async () => {
    const gate = new Gate();
    gate.fail(new Error('not yet'));
    gate.open();
    await gate.wait();
    gate.shut();
    const waiting = gate.wait();
    gate.open();
    await waiting;
  });
});
