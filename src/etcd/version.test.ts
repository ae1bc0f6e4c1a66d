import { describe, expect, test } from 'vitest';
import { hasSoundProgress, keepsCompactedDeletion } from './version.ts';

describe.each([
  { name: 'sound progress', check: hasSoundProgress, first34: 31, first35: 13 },
  { name: 'deletions kept by compaction', check: keepsCompactedDeletion, first34: 34, first35: 16 },
])('$name', ({ check, first34, first35 }) => {
  test.each([
    ['2.3.8', false],
    ['3.3.40', false],
    [`3.4.${first34 - 1}`, false],
    [`3.4.${first34}`, true],
    ['3.4.100', true],
    [`3.5.${first35 - 1}`, false],
    [`3.5.${first35}`, true],
    [`3.5.${first35}-rc.0`, true],
    ['3.6.0', true],
    ['3.10.2', true],
    ['4.0.0', true],
    ['', false],
    ['latest', false],
  ])('Features of etcd by its version, %s: %s', (version, expected) => {
    expect(check(version)).toBe(expected);
  });
});
