import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { breakBody, onBrokenBody } from './broken-bodies.ts';

const message = (): IncomingMessage => new IncomingMessage(new Socket());

describe('a body that turns out to be malformed', () => {
  test.each([
    { name: 'a length that is none', code: 'HPE_INVALID_CHUNK_SIZE', text: 'invalid byte in chunk length' },
    {
      name: 'a length beyond all numbers',
      code: 'HPE_INVALID_CHUNK_SIZE',
      reason: 'Chunk size overflow',
      text: 'http chunk length too large',
    },
    { name: 'a trailer that is none', code: 'HPE_INVALID_HEADER_TOKEN', text: 'malformed MIME header' },
    { name: 'anything else', code: 'HPE_STRICT', text: 'malformed chunked encoding' },
    { name: 'no code', text: 'malformed chunked encoding' },
  ])('A body that turns out to be malformed has the words of upstream for $name', ({ code, reason, text }) => {
    const request = message();
    const told: string[] = [];
    onBrokenBody(request, (error) => told.push(error.message));
    breakBody(request, { ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) });
    expect(told).toEqual([text]);
  });

  test('A body that turns out to be malformed is told to later readers of the same request alone', () => {
    const [request, other] = [message(), message()];
    const told: string[] = [];
    onBrokenBody(other, () => told.push('other'));
    breakBody(request, { code: 'HPE_STRICT' });
    onBrokenBody(request, ({ message: text }) => told.push(text));
    expect(told).toEqual(['malformed chunked encoding']);
  });
});
