import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonValue } from '../../../src/machinery/value.ts';
import { Names } from './names.ts';
import type { RecordedStep } from './recording.ts';

const namesFor = (...steps: RecordedStep[]): Names =>
  new Names({ id: 'case', section: 'test', namespaces: ['ns-<u>'], steps });

const made = (name: string, uid: string): Parameters<Names['remember']>[0] => ({
  kind: 'ConfigMap',
  metadata: { name, uid },
});

const reference = (name: string, uid: string): Record<string, string> => ({ kind: 'ConfigMap', name, uid });

const uidOf = (value: JsonValue): unknown => (value as { uid: unknown }).uid;

afterEach(() => void vi.useRealTimers());

describe('texts of requests', () => {
  test('The token of the case is the same everywhere', () => {
    const names = namesFor();
    expect(names.token).toMatch(/^u[a-z0-9]{6}$/);
    expect(names.value({ 'csi-<u>': ['n1-<u>', 'n1-${u}'] })).toEqual({
      [`csi-${names.token}`]: [`n1-${names.token}`, `n1-${names.token}`],
    });
  });

  test.each([
    { name: 'now', text: '<now>', expected: '2026-01-02T03:04:05Z' },
    { name: 'a minute ago', text: '<now-60>', expected: '2026-01-02T03:03:05Z' },
  ])('Times are counted from the request: $name', ({ text, expected }) => {
    vi.useFakeTimers({ now: Date.parse('2026-01-02T03:04:05.678Z') });
    expect(namesFor().text(text)).toBe(expected);
  });

  test('A name that a step has picked replaces the recorded one', () => {
    const names = namesFor();
    names.pick('web-<hash:1>-<random:2>', 'web-5f7b9c4d8-x7k2p');
    expect(names.text('/pods/web-<hash:1>-<random:2>/eviction')).toBe('/pods/web-5f7b9c4d8-x7k2p/eviction');
  });

  test('Nodes that stand for each other have names of their own', () => {
    const names = namesFor({ silence: '<node:1>' }, { silence: '<node:2>' });
    expect(names.nodes).toEqual([`n1-${names.token}`, `n2-${names.token}`]);
    expect(names.text('<node:2>')).toBe(`n2-${names.token}`);
  });
});

describe('uids of requests', () => {
  test('A reference has the uid of the object that was made under its name', () => {
    const names = namesFor();
    names.remember(made('owner', 'the-uid'));
    expect(names.value(reference('owner', '<uid:1>'))).toEqual(reference('owner', 'the-uid'));
    expect(uidOf(names.value({ uid: '<uid:1>' }))).toBe('the-uid');
  });

  test('A uid that no object has is made up once', () => {
    const names = namesFor();
    const first = uidOf(names.value(reference('none', '<uid:1>')));
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(uidOf(names.value(reference('none', '<uid:1>')))).toBe(first);
    expect(uidOf(names.value(reference('none', '<uid:2>')))).not.toBe(first);
  });

  test('A reference is to nothing where the recording shows another uid for its name', () => {
    const names = namesFor({
      settle: {},
      snapshot: { configmaps: { owner: { metadata: { uid: '<uid:3>' } } } } as unknown as NonNullable<
        RecordedStep['snapshot']
      >,
    });
    names.remember(made('owner', 'the-uid'));
    expect(uidOf(names.value(reference('owner', '<uid:1>')))).not.toBe('the-uid');
    expect(uidOf(names.value(reference('owner', '<uid:3>')))).toBe('the-uid');
  });
});
