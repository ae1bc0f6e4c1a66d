import { expect, test } from 'vitest';
import { humanDuration } from './human-duration.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

test.each([
  { ms: -2 * s, text: '<invalid>' },
  { ms: -1 * s, text: '0s' },
  { ms: 999, text: '0s' },
  { ms: 119 * s, text: '119s' },
  { ms: 2 * m, text: '2m' },
  { ms: 2 * m + 5 * s, text: '2m5s' },
  { ms: 10 * m + 5 * s, text: '10m' },
  { ms: 179 * m, text: '179m' },
  { ms: 3 * h + 5 * m, text: '3h5m' },
  { ms: 8 * h + 5 * m, text: '8h' },
  { ms: 47 * h, text: '47h' },
  { ms: 50 * h, text: '2d2h' },
  { ms: 8 * d + h, text: '8d' },
  { ms: 729 * d, text: '729d' },
  { ms: 730 * d, text: '2y' },
  { ms: 933 * d, text: '2y203d' },
  { ms: 8 * 365 * d + d, text: '8y' },
])('$ms ms as $text', ({ ms, text }) => expect(humanDuration(ms)).toBe(text));
