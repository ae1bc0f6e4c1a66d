import { describe, expect, test } from 'vitest';
import { logOptions } from './log-options.ts';

const read = (query: string, canSelectStream = false) => logOptions(new URLSearchParams(query), 'p', canSelectStream);

describe('options of a log', () => {
  test.each([
    { name: 'a number that is none', query: 'tailLines=x', text: 'strconv.ParseInt: parsing "x": invalid syntax' },
    { name: 'a time that is none', query: 'sinceTime=x', text: 'cannot parse "x" as "2006"' },
    {
      name: 'both beginnings',
      query: 'sinceTime=2024-01-01T00:00:00Z&sinceSeconds=1',
      text: 'at most one of `sinceTime` or `sinceSeconds` may be specified',
    },
    { name: 'a stream without the gate', query: 'stream=All', text: 'stream: Forbidden: may not be specified' },
  ])('Options of a log with $name are refused', ({ query, text }) => {
    expect(() => read(query)).toThrow(text);
  });

  test.each([
    {
      name: 'a stream that there is not',
      query: 'stream=x',
      text: 'stream: Unsupported value: "x": supported values: "All", "Stderr", "Stdout"',
    },
    {
      name: 'the last lines of one stream',
      query: 'stream=Stdout&tailLines=1',
      text: '`tailLines` and specific `stream` are mutually exclusive for now',
    },
  ])('With PodLogsQuerySplitStreams, $name is refused', ({ query, text }) => {
    expect(() => read(query, true)).toThrow(text);
  });

  test('With PodLogsQuerySplitStreams, the node agent is asked for one stream, or for all', () => {
    expect(read('stream=Stderr', true).query.toString()).toBe('stream=Stderr');
    expect(read('', true).query.toString()).toBe('stream=All');
  });

  test('Options that say nothing are not sent', () => {
    expect(read('follow=false&previous=0&container=c').query.toString()).toBe('');
  });
});
