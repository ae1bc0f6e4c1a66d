import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { EventLimit } from './configuration/plugin-configuration.ts';
import { createEventLimits, createEventRateLimit } from './event-rate-limit.ts';
import { attributesFor } from './testing/attributes.ts';

const event = (component: string, namespace = 'team') =>
  attributesFor(
    'events',
    { metadata: { name: 'e' }, source: { component }, involvedObject: { kind: 'Pod', name: 'p' } } as never,
    { kind: { group: '', version: 'v1', kind: 'Event' }, namespace },
  );
const limit = (type: EventLimit['type'], more: Partial<EventLimit> = {}): EventLimit => ({
  type,
  qps: 1,
  burst: 1,
  cacheSize: 4096,
  ...more,
});

/** Answers of the plugin to events, one after the other. */
async function answers(limits: readonly EventLimit[], ...events: ReturnType<typeof event>[]): Promise<string[]> {
  const plugin = createEventRateLimit({ take: createEventLimits(limits, new FakeClock()) });
  const texts: string[] = [];
  for (const given of events) {
    texts.push(
      await (plugin.validate!(given) as Promise<void>).then(
        () => 'ok',
        ({ code, message }: { code: number; message: string }) => `${code} ${message}`,
      ),
    );
  }
  return texts;
}

const refusal = (type: string, key: string): string =>
  `429 Too many requests: limit reached on type ${type} for key ${key}`;

describe('EventRateLimit', () => {
  test.each([
    {
      name: 'all events of the server together',
      limits: [limit('Server')],
      events: [event('a'), event('b', 'other')],
      expected: ['ok', refusal('Server', '')],
    },
    {
      name: 'the events of each namespace',
      limits: [limit('Namespace')],
      events: [event('a'), event('a', 'other'), event('a')],
      expected: ['ok', 'ok', refusal('Namespace', 'team')],
    },
    {
      name: 'the events of each user',
      limits: [limit('User', { burst: 2 })],
      events: [event('a'), event('b'), event('c')],
      expected: ['ok', 'ok', refusal('User', 'jane')],
    },
    {
      name: 'the events of each source about each object',
      limits: [limit('SourceAndObject')],
      events: [event('one'), event('two'), event('one')],
      expected: ['ok', 'ok', refusal('SourceAndObject', 'onePodp')],
    },
    {
      name: 'an event by each limit, also one that another limit refuses',
      limits: [limit('SourceAndObject'), limit('Server', { burst: 2 })],
      events: [event('one'), event('one'), event('two')],
      expected: ['ok', refusal('SourceAndObject', 'onePodp'), refusal('Server', '')],
    },
    {
      name: 'as many keys as its cache has place for',
      limits: [limit('Namespace', { cacheSize: 1 })],
      events: [event('a'), event('a', 'other'), event('a')],
      expected: ['ok', 'ok', 'ok'],
    },
  ])('EventRateLimit counts $name', async ({ limits, events, expected }) => {
    expect(await answers(limits, ...events)).toEqual(expected);
  });

  test('A limit lets further events pass as time goes by', async () => {
    const clock = new FakeClock();
    const take = createEventLimits([limit('Server', { qps: 2 })], clock);
    const keys = { Server: '', Namespace: '', User: '', SourceAndObject: '' };
    expect([take(keys), take(keys)]).toEqual([undefined, 'Server']);
    await clock.advance(500);
    expect([take(keys), take(keys)]).toEqual([undefined, 'Server']);
  });

  test('A long key counts as others do', async () => {
    const long = event('x'.repeat(100_000));
    const [first, second] = await answers([limit('SourceAndObject')], long, long);
    expect(first).toBe('ok');
    expect(second).toContain('429 Too many requests');
  });

  test('Events of group events.k8s.io and other objects do not count', async () => {
    const other = { ...event('a'), kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' } };
    expect(await answers([limit('Server')], other, other, event('a'))).toEqual(['ok', 'ok', 'ok']);
  });
});
