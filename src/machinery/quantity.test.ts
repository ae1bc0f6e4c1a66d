import { describe, expect, test } from 'vitest';
import { canonicalQuantity, parseQuantity, Quantity } from './quantity.ts';

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";

describe('canonical notation', () => {
  test.each([
    // as pods keep them (golden case "quantities")
    { text: '1500m', canonical: '1500m' },
    { text: '1024Mi', canonical: '1Gi' },
    { text: '3', canonical: '3' },
    { text: '0.5', canonical: '500m' },
    { text: '1e9', canonical: '1e9' },
    { text: '1.5Gi', canonical: '1536Mi' },
    { text: '0.1', canonical: '100m' },
    { text: '129M', canonical: '129M' },
    // zero
    { text: '0', canonical: '0' },
    { text: '-0', canonical: '0' },
    { text: '0m', canonical: '0' },
    { text: '0Gi', canonical: '0' },
    { text: '0.000', canonical: '0' },
    // the largest suffix that loses nothing
    { text: '1000m', canonical: '1' },
    { text: '1000000', canonical: '1M' },
    { text: '123456', canonical: '123456' },
    { text: '1200', canonical: '1200' },
    { text: '2048Ki', canonical: '2Mi' },
    { text: '1025Ki', canonical: '1025Ki' },
    { text: '1024Pi', canonical: '1Ei' },
    // decimal exponents stay what they are
    { text: '1e3', canonical: '1e3' },
    { text: '1000e3', canonical: '1e6' },
    { text: '12E-3', canonical: '12E-3' },
    { text: '1e4', canonical: '10e3' },
    { text: '1.5e3', canonical: '1500' },
    // a text that looks canonical by a cheap test is kept as it came
    { text: '1.500', canonical: '1.500' },
    { text: '+5', canonical: '+5' },
    { text: '007', canonical: '007' },
    { text: '+1Gi', canonical: '+1Gi' },
    // binary suffixes below 1024 and with fractions
    { text: '0.5Ki', canonical: '512' },
    { text: '0.5Mi', canonical: '512Ki' },
    { text: '1.1Ki', canonical: '1126400m' },
    { text: '-1536Ki', canonical: '-1536Ki' },
    // finer than nano is rounded away from zero
    { text: '0.1n', canonical: '1n' },
    { text: '-0.1n', canonical: '-1n' },
    { text: '1.0000000001', canonical: '1000000001n' },
    { text: '1e-12', canonical: '1e-9' },
    // beyond 64 bits
    { text: '12345678901234567890', canonical: '12345678901234567890' },
    { text: '100000000000000000000', canonical: '100E' },
    { text: '8Ei', canonical: '9223372036854775807' },
    { text: '-9Ei', canonical: '-9223372036854775807' },
    { text: '1e21', canonical: '1e21' },
    // what the parser does not insist on
    { text: '.5', canonical: '500m' },
    { text: '1.', canonical: '1.' },
    { text: '.', canonical: '0' },
    { text: 'm', canonical: '0' },
  ])('Canonical notation of quantities: $text is $canonical', ({ text, canonical }) => {
    expect(parseQuantity(text).toString()).toBe(canonical);
    expect(canonicalQuantity(text)).toBe(canonical);
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  test.each([
    { text: '', message: wrongFormat },
    { text: 'x', message: wrongFormat },
    { text: '1 ', message: wrongFormat },
    { text: '1..2', message: wrongFormat },
    { text: '--1', message: wrongSuffix },
    { text: '1K', message: wrongSuffix },
    { text: '1mi', message: wrongSuffix },
    { text: '1e', message: wrongSuffix },
    { text: '1Kim', message: wrongSuffix },
    { text: '1e99999', message: wrongSuffix },
    { text: '1'.repeat(300), message: wrongFormat },
    { text: '{}', message: wrongFormat },
  ])('Canonical notation of quantities refuses "$text"', ({ text, message }) => {
    expect(() => parseQuantity(text)).toThrow(expect.objectContaining({ message }));
  });
});

describe('arithmetic', () => {
  const q = parseQuantity;

  test.each([
    { name: 'millis and units', sum: '500m + 1', result: '1500m' },
    { name: 'binary and decimal: the first one’s format', sum: '1Gi + 1M', result: '1074741824' },
    { name: 'zero takes the other’s format', sum: '0 + 1Gi', result: '1Gi' },
    { name: 'beyond 64 bits', sum: '9E + 9E', result: '18E' },
    { name: 'to zero', sum: '1 + -1', result: '0' },
  ])('Quantity arithmetic adds $name', ({ sum, result }) => {
    const [a, b] = sum.split(' + ').map((text) => q(text));
    expect(a!.add(b!).toString()).toBe(result);
    expect(q(result).sub(b!).compare(a!)).toBe(0);
  });

  test('Quantity arithmetic compares quantities without loss of precision', () => {
    expect(q('1000m').compare(q('1'))).toBe(0);
    expect(q('1Ki').compare(q('1k'))).toBeGreaterThan(0);
    expect(q('-1').compare(0)).toBeLessThan(0);
    expect(q('9007199254740993').compare(9007199254740992n)).toBeGreaterThan(0);
    expect([q('-3').sign(), q('0').sign(), q('3m').sign()]).toEqual([-1, 0, 1]);
  });

  test('Quantities are rounded away from zero', () => {
    expect(q('1500m').value()).toBe(2n);
    expect(q('-1500m').value()).toBe(-2n);
    expect(q('1Gi').value()).toBe(1073741824n);
    expect(q('1.0001').milliValue()).toBe(1001n);
    expect(q('2').milliValue()).toBe(2000n);
    expect(q('1n').roundUp(-3).toString()).toBe('1m');
    expect(q('1.500').roundUp(-3).toString()).toBe('1.500');
  });

  test('Quantity arithmetic multiplies and negates quantities', () => {
    expect(q('100m').multiply(25).toString()).toBe('2500m');
    expect(q('1Gi').neg().toString()).toBe('-1Gi');
    expect(new Quantity(1536n * 1024n, 0, 'BinarySI').toString()).toBe('1536Ki');
    expect(new Quantity(500n, 0, 'BinarySI').toString()).toBe('500');
    expect(JSON.stringify({ cpu: q('1') })).toBe('{"cpu":"1"}');
  });
});
