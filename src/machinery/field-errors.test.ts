import { describe, expect, test } from 'vitest';
import { aggregateText, type FieldError, invalid, notSupported, required } from './field-error.ts';
import { FieldErrors, findsErrors, gathered, maxFieldErrors, TooManyErrors } from './field-errors.ts';
import { FieldPath } from './field-path.ts';
import { goStrings, goStruct } from './go-quote.ts';
import { invalid as invalidStatus, StatusError } from './status.ts';

const path = FieldPath.of('spec');
const kind = { group: 'apps', kind: 'Deployment' };
const many = (count: number, detail = 'must be good'): FieldError[] =>
  Array.from({ length: count }, (_, i) => invalid(path.index(i), i, detail));

/** A validation of as many bad items; tells how many it has looked at. */
function validation(items: number): { readonly validate: () => FieldErrors; readonly judged: () => number } {
  let judged = 0;
  const validate = (): FieldErrors => {
    const errors = new FieldErrors();
    for (judged = 0; judged < items; ) errors.push(invalid(path.index(judged++), '', 'must be good'));
    return errors;
  };
  return { validate, judged: () => judged };
}

describe('errors of a validation', () => {
  test('Errors of a validation end it when there are too many', () => {
    const { validate, judged } = validation(1_000_000);
    expect(validate).toThrow(TooManyErrors);
    expect(judged()).toBe(maxFieldErrors);
    expect(gathered(validate)).toHaveLength(maxFieldErrors);
  });

  test('Errors of a validation are all there when they are one fewer than too many', () => {
    expect(validation(maxFieldErrors - 1).validate()).toHaveLength(maxFieldErrors - 1);
  });

  test('Errors of a validation of several parts end together', () => {
    const half = validation(maxFieldErrors / 2).validate();
    expect(() => FieldErrors.joined(half, half)).toThrow(TooManyErrors);
    expect(FieldErrors.joined(half.slice(1), half)).toHaveLength(maxFieldErrors - 1);
  });

  test('Errors of a validation that are not told end with the first', () => {
    let judged = 0;
    expect(
      findsErrors((errors) => {
        for (let i = 0; i < 1_000_000; i++) {
          judged++;
          errors.push(required(path));
        }
      }),
    ).toBe(true);
    expect(judged).toBe(1);
    expect(findsErrors(() => undefined)).toBe(false);
  });
});

describe('an answer with many errors', () => {
  test.each([
    { name: 'tells all of a few', errors: many(2), end: '0: must be good, spec[1]: Invalid value: 1: must be good]' },
    {
      name: 'says how many more there are when they are long',
      errors: many(40, 'x'.repeat(8000)),
      end: ', and 8 more errors]',
    },
    { name: 'says so of a single one', errors: many(33, 'x'.repeat(8000)), end: ', and 1 more error]' },
    {
      name: 'says that there are more when it was not looked for all',
      errors: new TooManyErrors(many(maxFieldErrors)),
      end: ', and at least 1 more error]',
    },
    { name: 'says both', errors: new TooManyErrors(many(40, 'x'.repeat(8000))), end: ', and at least 9 more errors]' },
  ])('An answer with many errors: $name', ({ errors, end }) => {
    const { message, details } = invalidStatus(kind, 'web', errors);
    expect(message).toMatch(/^Deployment\.apps "web" is invalid: \[spec\[0\]: /);
    expect(message.endsWith(end)).toBe(true);
    expect(message.length).toBeLessThan(300_000);
    expect(details!.causes!.map(({ message: text = '' }) => text).join('').length).toBeLessThan(300_000);
  });

  test('An answer with many errors shows an error of any length', () => {
    expect(aggregateText([{ type: 'FieldValueInvalid', field: 'spec', body: 'x'.repeat(300_000) }])).toHaveLength(
      'spec: '.length + 300_000,
    );
  });
});

const long = 'x'.repeat(3_000_000);
const list = Array.from({ length: 100_000 }, (_, i) => String(i));

describe('a large value is shown in part', () => {
  test.each([
    {
      name: 'a text',
      error: invalid(path, long, 'too long'),
      body: /^Invalid value: "x{8192}"\.\.\. \(cut\): too long$/,
    },
    {
      name: 'a list of texts',
      error: invalid(path, goStrings(list), 'too long'),
      body: /^Invalid value: \[\]string\{"0", "1", .*\.\.\. \(cut\): too long$/,
    },
    {
      name: 'a struct',
      error: invalid(path, goStruct('core.PodSpec', { list }), 'no'),
      body: /^Invalid value: core\.PodSpec\{"list":\["0","1",.*\.\.\. \(cut\): no$/,
    },
    {
      name: 'texts that could be',
      error: notSupported(path, 'a', list),
      body: /^Unsupported value: "a": supported values: "0", "1", .*\.\.\. \(cut\)$/,
    },
    { name: 'a reason', error: invalid(path, 'a', long), body: /^Invalid value: "a": x{8192}\.\.\. \(cut\)$/ },
  ])('A large value is shown in part: $name', ({ error, body }) => {
    expect(error.body.length).toBeLessThan(10_000);
    expect(body.test(error.body), error.body.slice(0, 100)).toBe(true);
  });

  test('A long key in a path is cut', () => {
    expect(path.key(long).child('name').toString()).toBe(`spec[${long.slice(0, 1023)}... (cut).name`);
  });

  test('A large value is read only as far as it is shown', () => {
    let shown = 0;
    const values = new Proxy(list, {
      get: (target, key) => (
        typeof key === 'string' && /^\d+$/.test(key) ? shown++ : 0, Reflect.get(target, key) as unknown
      ),
    });
    expect(goStrings(values).text.length).toBeLessThan(10_000);
    expect(shown).toBeLessThan(10_000);
  });
});

test('A status is bounded whatever it is about', () => {
  const causes = Array.from({ length: 5000 }, () => ({ message: 'x' }));
  const { message, details } = new StatusError(409, 'Conflict', long, { causes, name: 'a' });
  expect(message).toHaveLength(512 * 1024 + '... (cut)'.length);
  expect(details!.causes).toHaveLength(1000);
  expect(invalidStatus(kind, long, [required(path)]).details!.name!.length).toBeLessThan(2000);
});
