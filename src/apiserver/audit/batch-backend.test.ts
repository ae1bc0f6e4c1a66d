import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { BatchBackend, type BatchOptions, type SinkTraits } from './batch-backend.ts';
import { auditEvent, ManualSink } from './testing/events.ts';

function setUp(options: Partial<BatchOptions & SinkTraits> = {}) {
  const clock = new FakeClock();
  const sink = new ManualSink();
  const lost: string[] = [];
  const report = (plugin: string, error: unknown, events: number): void =>
    void lost.push(`${plugin} ${events}: ${(error as Error).message}`);
  const backend = new BatchBackend(
    sink,
    { bufferSize: 10, maxBatchSize: 3, maxWaitMs: 1000, throttle: undefined, parallel: 1, merges: false, ...options },
    { report, clock },
  );
  const add = (...ids: readonly string[]): boolean[] => ids.map((id) => backend.add(auditEvent(id)));
  return { clock, sink, lost, backend, add };
}

describe('batches', () => {
  test('Audit batches go when they are full', () => {
    const { sink, add } = setUp();
    add('1', '2');
    expect(sink.batches).toEqual([]);
    add('3', '4');
    expect(sink.batches).toEqual([['1', '2', '3']]);
  });

  test('Audit batches go when they have waited long enough', async () => {
    const { clock, sink, add } = setUp();
    add('1');
    await clock.advance(999);
    add('2');
    expect(sink.batches).toEqual([]);
    await clock.advance(1);
    expect(sink.batches).toEqual([['1', '2']]);
  });

  test('Audit batches of one go at once', () => {
    const { sink, add } = setUp({ maxBatchSize: 1, parallel: 2 });
    add('1', '2');
    expect(sink.batches).toEqual([['1'], ['2']]);
  });

  test('Audit batches wait for the sink, and keep their order', async () => {
    const { sink, add } = setUp({ maxBatchSize: 2 });
    add('1', '2', '3', '4', '5', '6');
    expect(sink.batches).toEqual([['1', '2']]);
    await sink.done();
    await sink.done(false);
    expect(sink.batches).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ]);
  });

  test('Audit batches are on their way at the same time as far as the sink allows it', () => {
    const { sink, add } = setUp({ maxBatchSize: 1, parallel: 2 });
    add('1', '2', '3');
    expect(sink.pending.map(({ ids }) => ids)).toEqual([['1'], ['2']]);
  });

  test('Audit batches are made one for a file, which is written to as seldom as that', async () => {
    const { clock, sink, add } = setUp({ maxBatchSize: 1, merges: true });
    add('1', '2', '3');
    await clock.advance(100);
    add('4', '5');
    await clock.advance(100);
    expect(sink.batches).toEqual([['1', '2', '3']]);
    await sink.done();
    await clock.advance(100);
    expect(sink.batches).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
  });
});

describe('the rate of batches', async () => {
  const throttled = { maxBatchSize: 1, parallel: 10, throttle: { perSecond: 10, burst: 2 } };

  test('The rate of audit batches is limited after a burst', async () => {
    const { clock, sink, add } = setUp(throttled);
    add('1', '2', '3', '4');
    expect(sink.batches).toEqual([['1'], ['2']]);
    await clock.advance(99);
    expect(sink.batches.length).toBe(2);
    await clock.advance(1);
    expect(sink.batches.length).toBe(3);
    await clock.advance(100);
    expect(sink.batches).toEqual([['1'], ['2'], ['3'], ['4']]);
  });

  test('The rate of audit batches has a burst again after a quiet time', async () => {
    const { clock, sink, add } = setUp(throttled);
    add('1', '2');
    await clock.advance(10_000);
    add('3', '4', '5');
    expect(sink.batches.length).toBe(4);
  });
});

describe('the buffer', async () => {
  test('The audit buffer drops and counts what does not fit, and lets the requests go on', () => {
    const { lost, add, sink } = setUp({ bufferSize: 2, maxBatchSize: 1 });
    // One is on its way, three wait: the next batch and the buffer.
    expect(add('1', '2', '3', '4', '5', '6')).toEqual([true, true, true, true, true, true]);
    expect(sink.pending.length).toBe(1);
    expect(lost).toEqual(['buffered 1: audit buffer queue blocked', 'buffered 1: audit buffer queue blocked']);
  });

  test('The audit buffer accepts events again when the sink has taken a batch from a full buffer', async () => {
    const { lost, add, sink } = setUp({ bufferSize: 1, maxBatchSize: 1 });
    add('1', '2', '3');
    await sink.done();
    add('4');
    expect(lost).toEqual([]);
  });

  test('The audit buffer of a stopped server is sent whole, at any rate', async () => {
    const { backend, sink, add, lost } = setUp({ maxBatchSize: 2, throttle: { perSecond: 0.001, burst: 1 } });
    add('1', '2', '3', '4', '5');
    expect(sink.batches).toEqual([['1', '2']]);
    const closed = backend.close();
    expect([sink.isHurried, sink.isClosed]).toEqual([true, false]);
    await sink.done();
    await sink.done();
    expect(sink.isClosed).toBe(false);
    await sink.done();
    await closed;
    expect([sink.batches, sink.isClosed, lost]).toEqual([[['1', '2'], ['3', '4'], ['5']], true, []]);
  });

  test('The audit buffer of a stopped server takes nothing any more', async () => {
    const { backend, add, lost } = setUp();
    await backend.close();
    add('late');
    expect(lost).toEqual(['buffered 1: audit backend shut down']);
  });
});
