import { expect, test } from 'vitest';
import { httpDate } from './http-date.ts';

test.each([
  { name: 'the example of RFC 9110, section 5.6.7', at: '1994-11-06T08:49:37Z', text: 'Sun, 06 Nov 1994 08:49:37 GMT' },
  { name: 'a part of the same second', at: '1994-11-06T08:49:37.999Z', text: 'Sun, 06 Nov 1994 08:49:37 GMT' },
  { name: 'the next second', at: '1994-11-06T08:49:38Z', text: 'Sun, 06 Nov 1994 08:49:38 GMT' },
  { name: 'an earlier time', at: '1970-01-01T00:00:00Z', text: 'Thu, 01 Jan 1970 00:00:00 GMT' },
])('The Date header has $name', ({ at, text }) => {
  expect(httpDate(Date.parse(at))).toBe(text);
});
