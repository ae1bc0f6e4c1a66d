import { describe, expect, test } from 'vitest';
import { setUp, told } from './testing/observed-informer.ts';

describe('the handlers of an informer', () => {
  test('The handlers of an informer that come later are told of what is there and of each change', async () => {
    const t = setUp();
    t.source.set('a');
    await t.start();
    const late = told();
    t.informer.addHandler(late.handler);
    t.source.set('b');
    expect(late.lines).toEqual(['initial a@1', 'add b@2']);
  });

  test('The handlers of an informer that are removed are told of nothing more', async () => {
    const t = setUp();
    await t.start();
    const other = told();
    const registration = t.informer.addHandler(other.handler);
    t.source.set('a');
    registration.remove();
    t.source.set('b');
    expect([other.lines, t.lines]).toEqual([['add a@1'], ['add a@1', 'add b@2']]);
  });

  test('The handlers of an informer are told by all others, when one throws', async () => {
    const t = setUp();
    t.informer.addHandler({
      onAdd: () => {
        throw new Error('no');
      },
    });
    const last = told();
    t.informer.addHandler(last.handler);
    await t.start();
    t.source.set('a');
    t.source.set('a', 'x');
    expect(last.lines).toEqual(['add a@1', 'update a@1 to a=x@2']);
    expect(t.warnings).toEqual(['a handler of an informer failed']);
  });

  test('The handlers of an informer are told in order of what one of them causes', async () => {
    const t = setUp();
    t.informer.addHandler({
      onAdd: ({ name, data }) => {
        if (data === '') t.source.set(name, 'by the handler');
      },
    });
    const last = told();
    t.informer.addHandler(last.handler);
    await t.start();
    t.source.set('a');
    const expected = ['add a@1', 'update a@1 to a=by the handler@2'];
    expect([t.lines, last.lines]).toEqual([expected, expected]);
  });

  test('The handlers of an informer that come or go while others are told are told each change once', async () => {
    const t = setUp();
    const late = told();
    const first = t.informer.addHandler({
      onAdd() {
        first.remove();
        t.informer.addHandler(late.handler);
      },
    });
    await t.start();
    t.source.set('a');
    t.source.set('b');
    expect(late.lines).toEqual(['initial a@1', 'add b@2']);
  });

  test('The handlers of an informer are told of all objects again at each resync', async () => {
    const t = setUp({ resyncMs: 1000 });
    t.source.set('a');
    await t.start();
    await t.clock.advance(2500);
    expect(t.lines).toEqual(['initial a@1', 'update a@1 to a@1', 'update a@1 to a@1']);
  });

  test('The handlers of an informer are told of what the transform leaves', async () => {
    const t = setUp({ transform: (object) => ({ ...object, data: object.data.toUpperCase() }) });
    t.source.set('a', 'x');
    await t.start();
    t.source.set('a', 'y');
    t.source.remove('a');
    expect(t.lines).toEqual(['initial a=X@1', 'update a=X@1 to a=Y@2', 'delete a=Y@2, then a=Y@3']);
  });
});
