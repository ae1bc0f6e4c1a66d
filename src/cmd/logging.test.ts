import { describe, expect, test } from 'vitest';
import { createLogger, levelOf } from './logging.ts';
import type { LogLevel } from './logging.ts';
import { joined } from '../../test/support/patterns.ts';

async function lines(format: string, level: LogLevel, details: object): Promise<string[]> {
  const written: string[] = [];
  const log = await createLogger({ format, level, write: (line) => void written.push(line) });
  for (const method of ['debug', 'info', 'warn', 'error'] as const) log[method](details, 'a message');
  return written;
}

describe('text', () => {
  test.each([
    { level: 'debug', letters: 'DIWE' },
    { level: 'info', letters: 'IWE' },
    { level: 'error', letters: 'E' },
  ] as const)('at level $level shows $letters', async ({ level, letters }) => {
    expect((await lines('text', level, {})).map((line) => line[0]).join('')).toBe(letters);
  });

  const error = Object.assign(new Error('refused = "no"'), { stack: 'Error: refused\n    at x' });

  test('writes details behind the message, quoted where they need it, on one line', async () => {
    const [line] = await lines('text', 'error', {
      key: '/registry/a',
      count: 2,
      note: 'a "b"\nc',
      err: error,
      none: undefined,
    });
    expect(line).toMatch(
      joined(
        /^E \d\d:\d\d:\d\d\.\d{3} a message key=\/registry\/a count=2 note="a \\"b\\"\\nc" err="refused = \\"no\\""/,
        / none=undefined\n$/,
      ),
    );
  });

  test('shows the stack of an error only when details are enabled', async () => {
    expect((await lines('text', 'debug', { err: error }))[3]).toContain('err="Error: refused\\n    at x"\n');
  });
});

test('json writes an object per line, errors with their stack', async () => {
  const [line] = await lines('json', 'error', { key: 'k', err: new Error('refused') });
  expect(JSON.parse(line!)).toMatchObject({
    level: 50,
    msg: 'a message',
    key: 'k',
    err: { type: 'Error', message: 'refused', stack: expect.stringContaining('logging.test') as string },
  });
  expect(await lines('json', 'warn', {})).toHaveLength(2);
});

test.each(['text', 'json'])('a line has an end in format %s', async (format) => {
  const [line] = await lines(format, 'error', { path: 'x'.repeat(1_000_000), err: new Error('y'.repeat(1_000_000)) });
  expect(line!.length).toBeLessThan(20_000);
  expect(line).toContain('...TRUNCATED');
});

test.each([
  { verbosity: 0, level: 'info' },
  { verbosity: 1, level: 'info' },
  { verbosity: 2, level: 'debug' },
  { verbosity: 9, level: 'debug' },
])('-v=$verbosity means $level', ({ verbosity, level }) => {
  expect(levelOf(verbosity)).toBe(level);
});
