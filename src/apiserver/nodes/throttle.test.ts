import { PassThrough, type Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { throttlingOf } from './throttle.ts';

/** Bytes that have come until the clock stands at each of these times. */
async function bytesAt(stream: Readable, clock: FakeClock, times: readonly number[]): Promise<number[]> {
  let got = 0;
  stream.on('data', (chunk: Buffer) => (got += chunk.length));
  const counts: number[] = [];
  for (const time of times) {
    await clock.advance(time - clock.now());
    counts.push(got);
  }
  return counts;
}

const seconds = [0, 1000, 2000, 3000, 4000];

describe('limits of bytes per second', () => {
  test.each([
    { way: 'read', name: 'What is read' },
    { way: 'written', name: 'What is written' },
  ])('$name from a stream does not come faster than the limit', async ({ way }) => {
    const clock = new FakeClock();
    const throttling = throttlingOf(1000, clock);
    const stream = new PassThrough({ highWaterMark: 1 << 20 });
    const [input, output] = way === 'read' ? [stream, throttling.source(stream)] : [throttling.target(stream), stream];
    input.end(Buffer.alloc(2500));
    const counts = await bytesAt(output, clock, seconds);
    expect(counts[0]).toBe(100);
    expect(counts.slice(1)).toEqual([1100, 2100, 2500, 2500]);
    expect([output.readableEnded, clock.pending]).toEqual([true, 0]);
  });

  test('The time in which nothing came is not saved up', async () => {
    const clock = new FakeClock();
    const stream = new PassThrough();
    const output = throttlingOf(1000, clock).source(stream);
    await clock.advance(60_000);
    stream.end(Buffer.alloc(2500));
    expect((await bytesAt(output, clock, [60_000, 61_000])).at(-1)).toBeLessThanOrEqual(1100);
  });

  test('A stream without a limit is itself', () => {
    const stream = new PassThrough();
    expect([throttlingOf(0).source(stream), throttlingOf(0).target(stream)]).toEqual([stream, stream]);
  });

  test('A stream that is held up holds up what is written to it', async () => {
    const clock = new FakeClock();
    const input = throttlingOf(10, clock).target(new PassThrough());
    input.on('error', () => undefined);
    while (input.write(Buffer.alloc(1024)));
    await clock.advance(100);
    expect(input.writableLength).toBeLessThan(20 * 1024);
    input.destroy();
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });
});
