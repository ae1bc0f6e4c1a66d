import { appendFile, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { fixedTime, parseLogLine } from './log-line.ts';
import { type LogQuery, readLogQuery } from './log-query.ts';
import { readLog } from './read-log.ts';
import { Refusal } from '../refusal.ts';

let folder: string;
let file: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-logs-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  file = path.join(folder, `${++count}.log`);
});

const now = Date.parse('2026-01-02T03:04:05Z');
const all: LogQuery = {
  follow: false,
  previous: false,
  timestamps: false,
  since: undefined,
  tailLines: undefined,
  limitBytes: undefined,
  stream: undefined,
};
const line = (seconds: number, text: string, stream = 'stdout', tag = 'F'): string =>
  `2026-01-02T03:04:0${seconds}.5Z ${stream} ${tag} ${text}\n`;
const written =
  line(1, 'one') + line(2, 'two', 'stderr') + line(3, 'par', 'stdout', 'P') + line(4, 'tial') + line(5, '');

const read = async (query: Partial<LogQuery>, signal = new AbortController().signal): Promise<string> => {
  const source = { path: file, isRunning: () => Promise.resolve(false) };
  let text = '';
  for await (const piece of readLog(source, { query: { ...all, ...query }, clock: systemClock, signal }))
    text += piece.toString();
  return text;
};

describe('A log that is read from its file', () => {
  test.each<{ name: string; query: Partial<LogQuery>; text: string }>([
    { name: 'everything, parts joined', query: {}, text: 'one\ntwo\npartial\n\n' },
    { name: 'the last lines', query: { tailLines: 2 }, text: 'tial\n\n' },
    { name: 'no lines', query: { tailLines: 0 }, text: '' },
    { name: 'more lines than there are', query: { tailLines: 9 }, text: 'one\ntwo\npartial\n\n' },
    { name: 'lines from a moment on', query: { since: Date.parse('2026-01-02T03:04:03Z') }, text: 'partial\n\n' },
    { name: 'so many bytes', query: { limitBytes: 6 }, text: 'one\ntw' },
    { name: 'one stream', query: { stream: 'stderr' }, text: 'two\n' },
    {
      name: 'times with nine digits, once for a line of parts',
      query: { timestamps: true, since: Date.parse('2026-01-02T03:04:02Z') },
      text:
        '2026-01-02T03:04:02.500000000Z two\n2026-01-02T03:04:03.500000000Z partial\n' +
        '2026-01-02T03:04:05.500000000Z \n',
    },
  ])('It gives what is asked for: $name', async ({ query, text }) => {
    await writeFile(file, written);
    expect(await read(query)).toBe(text);
  });

  test('A tail of a large file is found without reading what is in front of it', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => line(1, `${i} ${'x'.repeat(100)}`)).join('');
    await writeFile(file, many);
    expect((await read({ tailLines: 3000 })).split('\n', 1)[0]).toMatch(/^2000 x/);
    expect((await read({})).split('\n')).toHaveLength(5001);
  });

  test('What is no line of a log is passed over, and a line without an end is not shown', async () => {
    await writeFile(
      file,
      `${line(1, 'one')}nonsense\n\n2026 stdin F x\n${line(2, 'two')}2026-01-02T03:04:05Z stdout F`,
    );
    expect(await read({})).toBe('one\ntwo\n');
  });

  test('A line that never ends is no log', async () => {
    await writeFile(file, 'x'.repeat((1 << 20) + 70_000));
    await expect(read({})).rejects.toThrow('a line of the log is longer than 1048576 bytes');
  });

  test('A link in the place of the file is not followed', async () => {
    await symlink('/etc/passwd', file);
    await expect(read({})).rejects.toThrow('ELOOP');
  });

  test('A file that is not there is an error', async () => {
    await expect(read({})).rejects.toThrow('ENOENT');
  });
});

describe('A log that is followed', () => {
  test('It goes on when the file grows and when it is rotated, and ends with the container', async () => {
    await writeFile(file, line(1, 'one'));
    let isRunning = true;
    const source = { path: file, isRunning: () => Promise.resolve(isRunning) };
    const signal = new AbortController().signal;
    const pieces = readLog(source, { query: { ...all, follow: true }, clock: systemClock, signal });
    const next = async (): Promise<string> => ((await pieces.next()).value ?? '').toString();
    expect(await next()).toBe('one\n');
    await appendFile(file, line(2, 'two'));
    expect(await next()).toBe('two\n');
    await rename(file, `${file}.20260102-030405`);
    await appendFile(`${file}.20260102-030405`, line(3, 'late'));
    await writeFile(file, line(4, 'new'));
    expect(await next()).toBe('late\n');
    expect(await next()).toBe('new\n');
    isRunning = false;
    await appendFile(file, line(5, 'last'));
    expect(await next()).toBe('last\n');
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });

  test('It ends when its reader is gone', async () => {
    await writeFile(file, line(1, 'one'));
    const gone = new AbortController();
    const source = { path: file, isRunning: () => Promise.resolve(true) };
    const pieces = readLog(source, { query: { ...all, follow: true }, clock: systemClock, signal: gone.signal });
    await pieces.next();
    const end = pieces.next();
    gone.abort();
    expect(await end).toEqual({ done: true, value: undefined });
  });
});

describe('The query of a log', () => {
  test.each<{ name: string; query: string; wanted: Partial<LogQuery> }>([
    { name: 'nothing', query: '', wanted: {} },
    {
      name: 'flags',
      query: 'follow=true&previous=1&timestamps',
      wanted: { follow: true, previous: true, timestamps: true },
    },
    { name: 'flags that are off', query: 'follow=false&previous=0&timestamps=False', wanted: {} },
    { name: 'numbers', query: 'tailLines=0&limitBytes=9', wanted: { tailLines: 0, limitBytes: 9 } },
    { name: 'seconds', query: 'sinceSeconds=5', wanted: { since: now - 5000 } },
    { name: 'a time', query: 'sinceTime=2026-01-02T03:04:00Z', wanted: { since: now - 5000 } },
    { name: 'a stream without the gate', query: 'stream=Stderr', wanted: {} },
  ])('It is read: $name', ({ query, wanted }) => {
    expect(readLogQuery(new URLSearchParams(query), now, false)).toEqual({ ...all, ...wanted });
  });

  test('A stream can be selected with the gate', () => {
    expect(readLogQuery(new URLSearchParams('stream=Stderr'), now, true).stream).toBe('stderr');
  });

  const undecodable = '{"message":"Unable to decode query."}';
  const refused = '{"message":"Invalid request."}';
  test.each([
    { query: 'tailLines=x', status: 400, text: undecodable },
    { query: 'sinceTime=x', status: 400, text: undecodable },
    { query: 'limitBytes=-1', status: 422, text: refused },
    { query: 'limitBytes=0', status: 422, text: refused },
    { query: 'tailLines=-1', status: 422, text: refused },
    { query: 'sinceSeconds=0', status: 422, text: refused },
    { query: 'sinceSeconds=1&sinceTime=2026-01-02T03:04:00Z', status: 422, text: refused },
    { query: 'stream=None', status: 422, text: refused },
    { query: 'stream=Stdout&tailLines=1', status: 422, text: refused },
  ])('It is refused: $query', ({ query, status, text }) => {
    let error: unknown;
    try {
      readLogQuery(new URLSearchParams(query), now, true);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ status, message: text });
  });
});

describe('A line of a log', () => {
  test.each([
    { name: 'a whole one', text: '2026-01-02T03:04:05.6Z stdout F a b', line: { isPartial: false, text: 'a b' } },
    { name: 'a part', text: '2026-01-02T03:04:05.6Z stderr P:x a', line: { isPartial: true, text: 'a' } },
    { name: 'an empty one', text: '2026-01-02T03:04:05.6Z stdout F ', line: { isPartial: false, text: '' } },
    {
      name: 'one without a space behind its tag',
      text: '2026-01-02T03:04:05.6Z stdout F',
      line: { isPartial: false, text: '' },
    },
    { name: 'another stream', text: '2026-01-02T03:04:05.6Z stdin F a', line: undefined },
    { name: 'no tag', text: '2026-01-02T03:04:05.6Z stdout  a', line: undefined },
    { name: 'text', text: 'text', line: undefined },
  ])('It is parsed: $name', ({ text, line }) => {
    const parsed = parseLogLine(Buffer.from(text));
    expect(parsed && { isPartial: parsed.isPartial, text: parsed.text.toString() }).toEqual(line);
  });

  test.each([
    { time: '2026-01-02T03:04:05Z', shown: '2026-01-02T03:04:05.000000000Z' },
    { time: '2026-01-02T03:04:05.123456789+01:00', shown: '2026-01-02T03:04:05.123456789+01:00' },
    { time: 'x', shown: 'x' },
  ])('The time $time is shown with nine digits', ({ time, shown }) => {
    expect(fixedTime(time)).toBe(shown);
  });
});
