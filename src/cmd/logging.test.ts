import { describe, expect, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { logs as logFlags } from './flags/shared/logs.ts';
import { parseFlags } from './flags/parse.ts';
import { logOutput } from './log-output.ts';
import { createAdjustableLogger, createLogger, levelOf } from './logging.ts';
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
  ] as const)('Text log output at level $level shows $letters', async ({ level, letters }) => {
    expect((await lines('text', level, {})).map((line) => line[0]).join('')).toBe(letters);
  });

  const error = Object.assign(new Error('refused = "no"'), { stack: 'Error: refused\n    at x' });

  test('A line of the log writes details behind the message, quoted where they need it, on one line', async () => {
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

  test('A line of the log shows the stack of an error only when details are enabled', async () => {
    expect((await lines('text', 'debug', { err: error }))[3]).toContain('err="Error: refused\\n    at x"\n');
  });
});

test('Json writes an object per line, errors with their stack', async () => {
  const [line] = await lines('json', 'error', { key: 'k', err: new Error('refused') });
  expect(JSON.parse(line!)).toMatchObject({
    level: 50,
    msg: 'a message',
    key: 'k',
    err: { type: 'Error', message: 'refused', stack: expect.stringContaining('logging.test') as string },
  });
  expect(await lines('json', 'warn', {})).toHaveLength(2);
});

test.each(['text', 'json'])('A line has an end in format %s', async (format) => {
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

test('The verbosity of an adjustable logger can be changed while it is in use', async () => {
  const written: string[] = [];
  const logger = await createAdjustableLogger(0, { format: 'text', write: (line) => void written.push(line) });
  logger.log.debug({}, 'one');
  logger.verbosity = 4;
  logger.log.debug({}, 'two');
  logger.verbosity = 1;
  logger.log.debug({}, 'three');
  expect(written.map((line) => line.trim().split(' ').at(-1))).toEqual(['two']);
});

describe('the output of the log', () => {
  function output(argv: readonly string[]) {
    const { format, ...options } = parseFlags({ logs: logFlags }, argv).options.logs;
    const texts = { out: [] as string[], err: [] as string[] };
    const clock = new FakeClock();
    const write = logOutput(
      { ...options, format },
      { out: (text) => void texts.out.push(String(text)), err: (text) => void texts.err.push(text) },
      clock,
    );
    return { texts, clock, log: createLogger({ format, level: 'info', write }) };
  }

  test.each([
    { argv: [], out: 0, err: 3 },
    { argv: ['--log-text-split-stream'], out: 2, err: 1 },
    { argv: ['--log-json-split-stream'], out: 0, err: 3 },
    { argv: ['--logging-format=json'], out: 0, err: 3 },
    { argv: ['--logging-format=json', '--log-json-split-stream'], out: 2, err: 1 },
  ])(
    'The output of the log: $argv writes $out lines to standard output and $err to standard error',
    async ({ argv, out, err }) => {
      const { texts, log } = output(argv);
      for (const method of ['info', 'warn', 'error'] as const) (await log)[method]({}, 'a message');
      expect([texts.out.length, texts.err.length]).toEqual([out, err]);
    },
  );

  test.each(['text', 'json'])(
    'In log format %s what is no error is collected up to a size, or for a time',
    async (format) => {
      const { texts, clock, log } = output([
        `--logging-format=${format}`,
        `--log-${format}-split-stream`,
        `--log-${format}-info-buffer-size=1Ki`,
        '--log-flush-frequency=3s',
      ]);
      (await log).info({}, 'one');
      (await log).error({}, 'two');
      expect([texts.out.length, texts.err.length]).toEqual([0, 1]);
      await clock.advance(3000);
      expect(texts.out).toHaveLength(1);
      (await log).info({ text: 'x'.repeat(1000) }, 'three');
      expect(texts.out).toHaveLength(2);
    },
  );
});
