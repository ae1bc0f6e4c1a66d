import { describe, expect, test } from 'vitest';
import { canonicalBase64 } from './base64.ts';

describe('base64, RFC 4648, section 4, as Go decodes it', () => {
  test.each([
    { text: '', canonical: '' },
    { text: 'AA==', canonical: 'AA==' },
    { text: 'QUJD', canonical: 'QUJD' },
    { text: 'aGVs\r\nbG8=\n', canonical: 'aGVsbG8=' },
    { text: 'AB==', canonical: 'AA==' },
  ])('base64, RFC 4648, section 4, as Go decodes it: %j', ({ text, canonical }) => {
    expect(canonicalBase64(text)).toBe(canonical);
  });

  test.each([
    { text: '%%%', at: 0 },
    { text: 'hi', at: 0 },
    { text: 'QUJDx', at: 4 },
    { text: 'AA=', at: 3 },
    { text: 'A===', at: 1 },
    { text: 'AA==x', at: 4 },
    { text: 'AA=x', at: 2 },
    { text: 'QUJD-_==', at: 4 },
    { text: 'Q\nUD', at: 1 },
    { text: '=', at: 0 },
  ])('base64, RFC 4648, section 4, as Go decodes it: $text is wrong at byte $at', ({ text, at }) => {
    expect(() => canonicalBase64(text)).toThrow(`illegal base64 data at input byte ${at}`);
  });
});
