import { describe, expect, test } from 'vitest';
import { boundedLogger } from './bounded-logger.ts';
import type { Logger } from './logger.ts';

const long = 'x'.repeat(1_000_000);
const cut = `${'x'.repeat(2048)}...TRUNCATED`;

function logged(
  details: object,
  message = 'a message',
): { readonly details: Record<string, unknown>; readonly message: string } {
  let line: { details: object; message: string } | undefined;
  const write = (given: object, text: string): void => void (line = { details: given, message: text });
  const log: Logger = { debug: write, info: write, warn: write, error: write };
  boundedLogger(log).warn(details, message);
  return line as { details: Record<string, unknown>; message: string };
}

class OwnError extends Error {
  override readonly name = 'OwnError';
  readonly code = 409;
  readonly value: string;

  constructor(message: string, value: string, cause?: Error) {
    super(message, { cause });
    this.value = value;
  }
}

describe('a line of a log', () => {
  test('A line of a log is handed on as it is where it is short', () => {
    const details = {
      err: new OwnError('no', 'v', new Error('why')),
      list: ['a', 1],
      object: { a: undefined, b: null },
      flag: true,
    };
    expect(logged(details)).toEqual({ details, message: 'a message' });
    expect(logged(details).details).toBe(details);
  });

  test.each([
    { name: 'a text', details: { path: long }, shown: { path: cut } },
    {
      name: 'a text in an object',
      details: { about: { path: long, method: 'GET' } },
      shown: { about: { path: cut, method: 'GET' } },
    },
    { name: 'a name', details: { [long]: 1 }, shown: { [cut]: 1 } },
    {
      name: 'a long list',
      details: { names: Array.from({ length: 100_000 }, (_, i) => i) },
      shown: { names: [...Array.from({ length: 100 }, (_, i) => i), '99900 more'] },
    },
    { name: 'bytes', details: { body: Buffer.alloc(1_000_000) }, shown: { body: '1000000 bytes' } },
    {
      name: 'an object with its own toJSON',
      details: { at: { toJSON: () => ({ path: long }) } },
      shown: { at: { path: cut } },
    },
    {
      name: 'what is nested without end',
      details: { a: { b: { c: { d: { e: { f: 1 } } } } } },
      shown: { a: { b: { c: { d: { e: '...TRUNCATED' } } } } },
    },
  ])('A line of a log has an end: $name', ({ details, shown }) => {
    expect(logged(details).details).toEqual(shown);
  });

  test('A line of a log has an end: the message', () => {
    expect(logged({}, long).message).toBe(cut);
  });

  test('A line of a log has an end in all', () => {
    expect(
      JSON.stringify(logged(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`member-${i}`, long]))).details)
        .length,
    ).toBeLessThan(40_000);
  });

  test('A line of a log shows an error of the same class, shorter', () => {
    const error = new OwnError(long, long, new Error(long));
    const shown = logged({ err: error }).details['err'] as OwnError;
    expect(shown).toBeInstanceOf(OwnError);
    expect([shown.name, shown.message, shown.code, shown.value, (shown.cause as Error).message]).toEqual([
      'OwnError',
      cut,
      409,
      cut,
      cut,
    ]);
    expect(shown.stack!.length).toBeLessThan(8300);
    expect(error.message).toBe(long);
  });

  test('A line of a log shows an error that is its own cause', () => {
    const error = new Error('no');
    error.cause = error;
    expect((logged({ err: error }).details['err'] as Error).message).toBe('no');
  });
});
