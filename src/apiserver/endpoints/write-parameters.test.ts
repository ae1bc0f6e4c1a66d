import { describe, expect, test } from 'vitest';
import {
  createParameters,
  dryRunLabel,
  dryRunParameter,
  fieldManagerParameter,
  fieldValidationParameter,
  patchParameters,
  updateParameters,
} from './write-parameters.ts';

const refusal = (message: string) => expect.objectContaining({ code: 422, message: expect.stringContaining(message) });

describe('dryRun', () => {
  test.each([
    { name: 'is off when it is absent', query: '', is: false, label: '' },
    { name: 'is on for All', query: 'dryRun=All', is: true, label: 'All' },
    { name: 'is on for All twice', query: 'dryRun=All&dryRun=All', is: true, label: 'All' },
    { name: 'is on without a value', query: 'dryRun', is: true, label: 'All' },
  ])('dryRun: $name', ({ query, is, label }) => {
    expect(dryRunParameter(new URLSearchParams(query), 'CreateOptions')).toBe(is);
    expect(dryRunLabel(new URLSearchParams(query))).toBe(label);
  });

  test.each([
    {
      name: 'another value',
      query: 'dryRun=Some',
      message: 'dryRun: Unsupported value: []string{"Some"}: supported values: "All"',
    },
    { name: 'All in another case', query: 'dryRun=all', message: 'dryRun: Unsupported value: []string{"all"}' },
    {
      name: 'All and another value',
      query: 'dryRun=All&dryRun=x',
      message: 'dryRun: Unsupported value: []string{"All", "x"}',
    },
  ])('dryRun is refused for $name', ({ query, message }) => {
    expect(() => dryRunParameter(new URLSearchParams(query), 'CreateOptions')).toThrow(refusal(message));
    expect(dryRunLabel(new URLSearchParams(query))).toBe('invalid');
  });
});

describe('fieldValidation', () => {
  test.each([
    { name: 'warns when it is absent', value: null, is: 'Warn' },
    { name: 'warns when it is empty', value: '', is: 'Warn' },
    { name: 'is Ignore', value: 'Ignore', is: 'Ignore' },
    { name: 'is Warn', value: 'Warn', is: 'Warn' },
    { name: 'is Strict', value: 'Strict', is: 'Strict' },
  ])('fieldValidation: $name', ({ value, is }) => {
    expect(fieldValidationParameter(value, 'CreateOptions')).toBe(is);
  });

  test('fieldValidation is refused for another value, with the values that there are', () => {
    expect(() => fieldValidationParameter('strict', 'CreateOptions')).toThrow(
      refusal('fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"'),
    );
  });
});

describe('the field manager', () => {
  test.each([
    { name: 'is the parameter', value: 'me', userAgent: 'kubectl/v1.32', is: 'me' },
    { name: 'is the product of the user agent', value: null, userAgent: 'kubectl/v1.32 (linux)', is: 'kubectl' },
    { name: 'is the user agent for an empty parameter', value: '', userAgent: 'kubectl', is: 'kubectl' },
    { name: 'is unknown without either', value: null, userAgent: undefined, is: 'unknown' },
    { name: 'is unknown for a user agent that begins with a slash', value: null, userAgent: '/v1', is: 'unknown' },
    { name: 'loses what cannot be printed in a user agent', value: null, userAgent: 'a\tb\u0000c', is: 'abc' },
    { name: 'is cut in a user agent', value: null, userAgent: 'x'.repeat(200), is: 'x'.repeat(128) },
    { name: 'has any letter', value: 'jürgen 名', userAgent: undefined, is: 'jürgen 名' },
  ])('The field manager: $name', ({ value, userAgent, is }) => {
    expect(fieldManagerParameter(value, userAgent, 'CreateOptions')).toBe(is);
  });

  test.each([
    {
      name: 'longer than 128',
      value: 'x'.repeat(129),
      message: 'fieldManager: Too long: may not be more than 128 bytes',
    },
    { name: 'with a tab', value: 'a\tb', message: 'invalid character U+0009 (at position 1)' },
  ])('The field manager is refused $name', ({ value, message }) => {
    expect(() => fieldManagerParameter(value, undefined, 'CreateOptions')).toThrow(refusal(message));
  });
});

describe('parameters of a write', () => {
  test.each([
    { name: 'none', query: '', options: {} },
    { name: 'dry run', query: 'dryRun=All', options: { dryRun: ['All'] } },
    {
      name: 'manager and validation',
      query: 'fieldManager=me&fieldValidation=Strict',
      options: { fieldManager: 'me', fieldValidation: 'Strict' },
    },
  ])('Parameters of a write are options for admission: $name', ({ query, options }) => {
    expect(createParameters(new URLSearchParams(query)).options).toEqual(options);
    expect(updateParameters(new URLSearchParams(query)).options).toEqual(options);
  });

  test.each([
    { name: 'creation', read: createParameters, kind: 'CreateOptions' },
    { name: 'update', read: updateParameters, kind: 'UpdateOptions' },
    { name: 'patch', read: (query: URLSearchParams) => patchParameters(query, false), kind: 'PatchOptions' },
  ])('Parameters of a write are refused under the name of the options of a $name', ({ read, kind }) => {
    expect(() => read(new URLSearchParams('dryRun=x'))).toThrow(refusal(`${kind}.meta.k8s.io "" is invalid`));
  });
});

describe('parameters of a patch', () => {
  test.each([
    { name: 'apply with a manager', query: 'fieldManager=me', isApply: true, force: false },
    { name: 'apply by force', query: 'fieldManager=me&force=true', isApply: true, force: true },
    { name: 'apply without force', query: 'fieldManager=me&force=false', isApply: true, force: false },
    { name: 'another patch without a manager', query: '', isApply: false, force: false },
  ])('Parameters of a patch are taken for $name', ({ query, isApply, force }) => {
    const parameters = patchParameters(new URLSearchParams(query), isApply);
    expect(parameters.force).toBe(force);
    expect('force' in parameters.options).toBe(force);
  });

  test.each([
    { name: 'apply without a manager', query: '', isApply: true, message: 'fieldManager: Required value: is required' },
    {
      name: 'another patch with force',
      query: 'force=true',
      isApply: false,
      message: 'force: Forbidden: may not be specified for non-apply patch',
    },
  ])('Parameters of a patch are refused for $name', ({ query, isApply, message }) => {
    expect(() => patchParameters(new URLSearchParams(query), isApply)).toThrow(refusal(message));
  });
});
