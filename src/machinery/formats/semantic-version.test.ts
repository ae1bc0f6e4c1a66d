import { describe, expect, test } from 'vitest';
import { compareSemanticVersions, parseSemanticVersion } from './semantic-version.ts';

describe('semantic versions', () => {
  // Section 11 has this order.
  const ascending = [
    '1.0.0-1',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.32.0',
    '2.0.0',
  ];

  test('Versions have the order of section 11', () => {
    for (const [i, a] of ascending.entries())
      for (const [k, b] of ascending.entries())
        expect(compareSemanticVersions(parseSemanticVersion(a)!, parseSemanticVersion(b)!)).toBe(Math.sign(i - k));
  });

  test('Metadata of the build does not count', () => {
    const [a, b] = ['1.2.3+a', '1.2.3+b.c'].map((text) => parseSemanticVersion(text)!);
    expect(compareSemanticVersions(a!, b!)).toBe(0);
  });

  test.each(['', '1', '1.2', 'v1.2.3', '1.02.3', '1.2.3-', '1.2.3-01', '1.2.3+', '1.2.3 ', `1.2.3-${'a'.repeat(256)}`])(
    'The text %j is no version',
    (text) => {
      expect(parseSemanticVersion(text)).toBeUndefined();
    },
  );
});
