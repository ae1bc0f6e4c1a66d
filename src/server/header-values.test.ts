import { expect, test } from 'vitest';
import { HeaderValues, keptFields } from './header-values.ts';

test('Values are found by name, in their order', () => {
  const values = new HeaderValues([
    'accept',
    'a',
    'impersonate-group',
    'one',
    'x',
    '',
    'impersonate-group',
    'two',
    'impersonate-group',
    'three',
  ]);
  expect(values.names()).toEqual(['accept', 'impersonate-group', 'x']);
  expect([values.first('impersonate-group'), values.first('x'), values.first('constructor')]).toEqual([
    'one',
    '',
    undefined,
  ]);
  expect([values.all('impersonate-group'), values.all('x'), values.all('none')]).toEqual([
    ['one', 'two', 'three'],
    [''],
    [],
  ]);
});

test('Of what a request was asked with little is kept for its record', () => {
  const values = new HeaderValues([
    'authorization',
    'Bearer secret',
    'user-agent',
    'kubectl',
    'x-forwarded-for',
    '192.0.2.1, '.repeat(100_000),
    'x-more',
    'y',
  ]);
  const kept = new HeaderValues(keptFields((name) => values.first(name)));
  expect(kept.names()).toEqual(['user-agent', 'x-forwarded-for']);
  expect([kept.first('user-agent'), kept.first('x-forwarded-for')?.length]).toEqual(['kubectl', 16_384]);
});
