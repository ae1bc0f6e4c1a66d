import { describe, expect, test } from 'vitest';
import { StatusError } from '../machinery/status.ts';
import { setUp } from './testing/observed-informer.ts';

/** At least the first delay with its jitter. */
const retryMs = 800 + 400;

describe('an informer whose source lists what is older than it told', () => {
  /** The cache has stood still since before `b` was made, and the history is gone. */
  const behind = async () => {
    const t = setUp();
    t.source.set('a');
    await t.start();
    t.source.cachedList = t.source.page();
    t.source.set('b');
    t.source.compact();
    t.source.endWatches({ error: new StatusError(410, 'Expired', 'too old') });
    await t.clock.advance(0);
    return t;
  };

  test('An informer tells no deletion of what an older list does not have, and asks past caches next', async () => {
    const t = await behind();
    await t.clock.advance(retryMs);
    expect([t.lines, t.warnings.length]).toEqual([['initial a@1', 'add b@2'], 2]);
    t.source.cachedList = undefined;
    t.source.set('c');
    await t.clock.advance(2 * retryMs);
    expect(t.source.lists.map(({ isMostRecent }) => isMostRecent)).toEqual([false, false, true]);
    expect(t.lines.slice(2)).toEqual(['add c@3']);
  });

  test('An informer believes a source that stays older, as after a restored backup', async () => {
    const t = await behind();
    while (t.lines.length === 2) await t.clock.advance(retryMs);
    expect([t.source.lists.length, t.lines.slice(2)]).toEqual([12, ['delete b@2, missed']]);
  });

  test('An informer refuses a first list that is older than the version it was given', async () => {
    const t = setUp({ notBefore: '2' });
    t.source.set('a');
    t.source.cachedList = t.source.page();
    t.source.set('b');
    await t.start();
    expect([t.source.lists[0]!.notBefore, t.lines, t.informer.hasSynced]).toEqual(['2', [], false]);
    t.source.cachedList = undefined;
    await t.clock.advance(retryMs);
    expect(t.lines).toEqual(['initial a@1', 'initial b@2']);
  });

  test('An informer without a list yet refuses one that is older than a version that it is given later', async () => {
    const t = setUp();
    t.source.set('a');
    t.source.cachedList = t.source.page();
    t.source.set('b');
    t.informer.start();
    t.informer.requireVersion('2');
    await t.clock.advance(0);
    expect([t.lines, t.informer.hasSynced]).toEqual([[], false]);
    t.source.cachedList = undefined;
    await t.clock.advance(retryMs);
    expect(t.lines).toEqual(['initial a@1', 'initial b@2']);
  });

  test('An informer that has read ahead asks for lists that are as new as a version given later', async () => {
    const t = setUp();
    t.source.set('a');
    await t.start();
    t.informer.requireVersion('7');
    t.informer.requireVersion('5');
    t.source.compact();
    t.source.endWatches({ error: new StatusError(410, 'Expired', 'too old') });
    await t.clock.advance(0);
    await t.clock.advance(retryMs);
    expect(t.source.lists.map(({ notBefore }) => notBefore)).toEqual([undefined, '7']);
  });
});
