import { describe, expect, test } from 'vitest';
import { RawJson, createMap } from '../machinery/value.ts';
import { shareEqualParts } from './share-equal-parts.ts';

const map = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.assign(createMap<unknown>(), members);

const pod = (name: string, phase: string) => ({
  metadata: { name, labels: map({ app: 'web' }) },
  spec: { containers: [{ name: 'main', resources: { requests: map({ cpu: '10m' }) } }], tolerations: [] },
  status: { phase },
});

const nested = (depth: number): unknown => (depth === 0 ? { end: true } : { inner: nested(depth - 1) });

describe('shareEqualParts', () => {
  test('An object that differs keeps its value, and has the equal parts of the known one', () => {
    const known = pod('web-1', 'Running');
    const fresh = pod('web-2', 'Running');
    const shared = shareEqualParts(known, fresh);
    expect(shared).toBe(fresh);
    expect(shared).toStrictEqual(pod('web-2', 'Running'));
    expect(shared.spec).toBe(known.spec);
    expect(shared.status).toBe(known.status);
    expect(shared.metadata).not.toBe(known.metadata);
    expect(shared.metadata.labels).toBe(known.metadata.labels);
  });

  test('An object that is equal is the known one', () => {
    const known = pod('web-1', 'Running');
    expect(shareEqualParts(known, pod('web-1', 'Running'))).toBe(known);
  });

  test('The items of a list are shared one by one', () => {
    const known = [{ type: 'Ready', status: 'False' }, { type: 'Initialized' }];
    const shared = shareEqualParts(known, [
      { type: 'Ready', status: 'True' },
      { type: 'Initialized' },
      { type: 'New' },
    ]);
    expect(shared).toStrictEqual([{ type: 'Ready', status: 'True' }, { type: 'Initialized' }, { type: 'New' }]);
    expect(shared[1]).toBe(known[1]);
  });

  test.each<{ name: string; known: unknown; fresh: unknown }>([
    { name: 'nothing is known', known: undefined, fresh: { a: { b: 1 } } },
    { name: 'the known value is null', known: { a: null }, fresh: { a: {} } },
    { name: 'the known one has a member more', known: { a: 1, b: 2 }, fresh: { a: 1 } },
    { name: 'the known one has a member less', known: { a: 1 }, fresh: { a: 1, b: undefined } },
    { name: 'members have other names', known: { a: 1, b: 2 }, fresh: { a: 1, c: 2 } },
    { name: 'the known list is longer', known: { a: [1, 2] }, fresh: { a: [1] } },
    { name: 'one is a list', known: { a: [] }, fresh: { a: {} } },
    { name: 'one is a map and the other a struct', known: { a: map({}) }, fresh: { a: {} } },
    { name: 'a member is named as what all objects inherit', known: {}, fresh: { constructor: { name: 'x' } } },
    { name: 'a map has a member of that name', known: map({}), fresh: map({ ['__proto__']: 'x', toString: 'y' }) },
    { name: 'texts are carried JSON', known: { a: new RawJson('{}') }, fresh: { a: new RawJson('{}') } },
    { name: 'it is deeper than what is looked at', known: nested(100), fresh: nested(100) },
  ])('What is not equal stays as it came: $name', ({ known, fresh }) => {
    const copy = structuredClone({ fresh });
    const [before, after] = [JSON.stringify(known), JSON.stringify(fresh)];
    const shared = shareEqualParts(known, fresh);
    expect(shared).toBe(fresh);
    expect(shared).not.toBe(known);
    expect(JSON.stringify(known)).toBe(before);
    expect(JSON.stringify(shared)).toBe(after);
    expect(structuredClone({ fresh: shared })).toEqual(copy);
  });
});
