import { expect, it, test } from 'vitest';
import { compareText } from './compare-text.ts';

test.each([
  ['', ''],
  ['', 'a'],
  ['a', 'ab'],
  ['a', 'b'],
  ['Z', 'a'],
  ['~', 'ä'],
  ['ä', '\u2028'],
  ['\ud7ff', '\ue000'],
  ['\uffff', '\u{10000}'],
  ['\u{10000}', '\u{10ffff}'],
  ['x\uffee', 'x\u{1f600}'],
  ['\u{1f600}', '\u{1f600}a'],
])('Orders %j and %j as their bytes', (a, b) => {
  expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(Math.sign(compareText(b, a))).toBe(Buffer.compare(Buffer.from(b), Buffer.from(a)));
});

it('The comparison of texts sorts as a comparator', () => {
  expect(['b', '\u{1f600}', 'a', '\uffee', 'ab'].sort(compareText)).toEqual(['a', 'ab', 'b', '\uffee', '\u{1f600}']);
});
