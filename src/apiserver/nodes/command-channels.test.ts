import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { channel, clientChannels } from './command-channels.ts';

const message = (number: number, content: string): Buffer => Buffer.concat([Buffer.of(number), Buffer.from(content)]);
const both = new Set<number>([channel.stdin, channel.resize]);

describe('channels of a client', () => {
  test('Each message goes to its channel, and a channel ends alone or with the connection', async () => {
    const { input, stdin, resize } = clientChannels(both);
    for (const one of [message(0, 'a'), message(4, '{}'), message(0, 'b'), Buffer.of(255, 0), message(0, 'late')])
      input.write(one);
    expect(await text(stdin)).toBe('ab');
    expect(resize.readableEnded).toBe(false);
    input.end(message(4, '[]'));
    expect(await text(resize)).toBe('{}[]');
  });

  test.each([
    { name: 'an empty message', bytes: Buffer.alloc(0) },
    { name: 'a channel alone', bytes: Buffer.of(0) },
    { name: 'an output', bytes: message(1, 'x') },
    { name: 'an unknown channel', bytes: message(77, 'x') },
    { name: 'the end of an output', bytes: Buffer.of(255, 1) },
    { name: 'the end of nothing', bytes: Buffer.of(255) },
    { name: 'two ends at once', bytes: Buffer.of(255, 0, 4) },
  ])('What a client has no business to say is thrown away: $name', async ({ bytes }) => {
    const { input, stdin } = clientChannels(both);
    input.write(bytes);
    input.end(message(0, 'x'));
    expect(await text(stdin)).toBe('x');
  });

  test('A channel that was not asked for takes nothing', async () => {
    const { input, stdin } = clientChannels(new Set());
    input.end(message(0, 'x'));
    expect(await text(stdin)).toBe('');
  });

  test('A channel that is not read holds up the client, until it is given up', async () => {
    const { input, stdin } = clientChannels(both);
    let taken = 0;
    for (let i = 0; i < 100; i++) input.write(message(0, 'x'.repeat(8 * 1024)), () => taken++);
    for (let i = 0; i < 10; i++) await turn();
    expect(taken).toBeLessThan(10);
    stdin.destroy();
    for (let i = 0; i < 200; i++) await turn();
    expect(taken).toBe(100);
  });
});
