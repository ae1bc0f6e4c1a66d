import { expect, test } from 'vitest';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { DeviceClass } from '../../gen/types/resource-v1beta1.ts';
import { validateDeviceClass } from './validation.ts';

const deviceClass = (spec: object): DeviceClass => ({ metadata: { name: 'c' }, spec }) as unknown as DeviceClass;
const problems = (spec: object, old?: object): string[] => {
  const before = old === undefined ? undefined : deviceClass(old);
  return runToEnd(validateDeviceClass(deviceClass(spec), before, new FieldErrors())).map(fieldErrorText);
};
const parameters = (length: number): object => ({ opaque: { driver: 'd', parameters: { text: 'x'.repeat(length) } } });
/** A function of the newest version, which a new expression may not use yet. */
const newest = { selectors: [{ cel: { expression: '[1].all(i, v, v == 1)' } }] };

test.each([
  { name: 'that is empty', spec: {}, expected: [] },
  { name: 'with selectors', spec: { selectors: [{ cel: { expression: 'device.driver == "d"' } }] }, expected: [] },
  {
    name: 'with a selector that is none',
    spec: { selectors: [{ cel: { expression: '1' } }] },
    expected: [
      'spec.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
    ],
  },
  { name: 'without a driver', spec: { config: [{}] }, expected: ['spec.config[0].opaque: Required value'] },
  {
    name: 'with many configurations',
    spec: { config: Array.from({ length: 33 }, () => parameters(1)) },
    expected: ['spec.config: Too many: 33: must have at most 32 items'],
  },
  {
    name: 'with long parameters',
    spec: { config: [parameters(10_240)] },
    expected: ['spec.config[0].opaque.parameters: Too long: may not be more than 10240 bytes'],
  },
])('A device class $name is judged', ({ spec, expected }) => {
  expect(problems(spec)).toEqual(expected);
});

test('What a class has already is not judged by what came later, until it changes', () => {
  const long = { config: [parameters(10_240)] };
  expect(problems(long, long)).toEqual([]);
  expect(problems({ config: [...long.config, parameters(1)] }, long)).toHaveLength(1);
  expect(problems(newest)).toHaveLength(1);
  expect(problems(newest, newest)).toEqual([]);
});
