import { describe, expect, it } from 'vitest';
import { countIndexes, firstCommonIndex } from './indexes.ts';

describe('countIndexes', () => {
  it.each([
    { text: '', count: 0 },
    { text: '0', count: 1 },
    { text: '0-9', count: 10 },
    { text: '1,3-5,9', count: 5 },
  ])('countIndexes: $text: $count', ({ text, count }) => {
    expect(countIndexes(text, 10)).toBe(count);
  });

  it.each([
    {
      text: '1-2-3',
      message:
        'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts ' +
        "separated by '-'",
    },
    { text: '1,', message: 'cannot convert string to integer for index: ""' },
    { text: '-1', message: 'cannot convert string to integer for index: ""' },
    { text: '1-b', message: 'cannot convert string to integer for index: "b"' },
    { text: '10', message: 'too large index: "10"' },
    { text: '2-2', message: 'non-increasing order, previous: 2, current: 2' },
    { text: '1-3,3', message: 'non-increasing order, previous: 3, current: 3' },
  ])('countIndexes refuses $text', ({ text, message }) => {
    expect(() => countIndexes(text, 10)).toThrow(message);
  });
});

describe('firstCommonIndex', () => {
  it.each([
    { a: '', b: '1', common: undefined },
    { a: '0-2,7', b: '3-6', common: undefined },
    { a: '0-2,7', b: '3-8', common: 7 },
    { a: '0-9', b: '4,5', common: 4 },
    { a: 'x,3', b: '1,y-2,3', common: 3 },
  ])('firstCommonIndex: $a and $b: $common', ({ a, b, common }) => {
    expect(firstCommonIndex(a, b, 10)).toBe(common);
  });
});
