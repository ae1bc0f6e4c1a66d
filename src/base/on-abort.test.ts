import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { onAbort } from './on-abort.ts';

describe('Listeners of a signal', () => {
  test('All listeners are called once, in their order', () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push('a'));
    onAbort(controller.signal, () => called.push('b'));
    controller.abort();
    controller.abort();
    expect(called).toEqual(['a', 'b']);
  });

  test('A listener that was taken away is not called, also when another one does so at the abort', () => {
    const controller = new AbortController();
    const called: string[] = [];
    const listener = (): void => void called.push('twice there, once taken away');
    onAbort(controller.signal, listener);
    const take = onAbort(controller.signal, listener);
    take();
    take();
    let takeLast = (): void => undefined;
    onAbort(controller.signal, () => takeLast());
    takeLast = onAbort(controller.signal, () => called.push('last'));
    controller.abort();
    expect(called).toEqual(['twice there, once taken away']);
  });

  test('A listener of a signal that has aborted is called at once', () => {
    const called: unknown[] = [];
    const signal = AbortSignal.abort('over');
    onAbort(signal, () => called.push(signal.reason))();
    expect(called).toEqual(['over']);
  });

  test('The signal itself has one listener, however many there are', () => {
    const { signal } = new AbortController();
    const takes = Array.from({ length: 1000 }, () => onAbort(signal, () => undefined));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (const take of takes) take();
  });
});
