import { describe, expect, test } from 'vitest';
import type { LimitRangeItem } from '../../gen/types/core-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { setLimitRangeDefaults } from './defaults.ts';
import { validateLimitRange } from './validation.ts';

const range = (...limits: LimitRangeItem[]) => ({ metadata: { name: 'l', namespace: 'n' }, spec: { limits } });

describe('LimitRange', () => {
  test.each<{ name: string; item: LimitRangeItem; filled: Partial<LimitRangeItem> }>([
    {
      name: 'limits containers to all they can have',
      item: { type: 'Container', max: { cpu: '2' }, min: { memory: '1Gi' } },
      filled: { default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Gi' } },
    },
    {
      name: 'keeps what is said',
      item: { type: 'Container', max: { cpu: '2' }, default: { cpu: '1' }, defaultRequest: { cpu: '500m' } },
      filled: { default: { cpu: '1' }, defaultRequest: { cpu: '500m' } },
    },
    { name: 'fills nothing in for pods', item: { type: 'Pod', max: { cpu: '2' } }, filled: {} },
    { name: 'rounds to thousandths', item: { type: 'Pod', max: { cpu: '0.0001' } }, filled: { max: { cpu: '1m' } } },
  ])('LimitRange: $name', ({ item, filled }) => {
    const object = range(item);
    setLimitRangeDefaults(object);
    expect(object.spec.limits[0]).toEqual({ ...item, ...filled });
  });

  test.each<{ name: string; item: LimitRangeItem; errors: string[] }>([
    {
      name: 'accepts a type with a domain prefix',
      item: { type: 'example.com/Thing' as 'Pod', max: { storage: '1' } },
      errors: [],
    },
    {
      name: 'refuses a type without domain',
      item: { type: 'Thing' as 'Pod' },
      errors: ['spec.limits[0].type: Invalid value: "Thing": must be a standard limit type or fully qualified'],
    },
    {
      name: 'refuses a ratio below one',
      item: { type: 'Container', maxLimitRequestRatio: { cpu: '500m' } },
      errors: [
        'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: ' +
          'resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, ' +
          'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"500m", Format:"DecimalSI"}: ratio 500m is less than 1',
      ],
    },
    {
      name: 'compares a ratio by thousandths',
      item: { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' }, min: { cpu: '1' }, max: { cpu: '1500m' } },
      errors: [],
    },
    {
      name: 'wants what cannot be promised twice to be the same',
      item: { type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } },
      errors: [
        'spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: ' +
          'resource.Quantity{i:resource.int64Amount{value:1, scale:0}, ' +
          'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1", Format:"DecimalSI"}: default value ' +
          '2 must equal to defaultRequest value 1 in example.com/gpu',
      ],
    },
  ])('LimitRange: $name', ({ item, errors }) => {
    expect(validateLimitRange(range(item)).map(fieldErrorText)).toEqual(errors);
  });
});
