import { expect, test } from 'vitest';
import type { LeaseSpec } from '../../gen/types/coordination-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { validateLease } from './validation.ts';

test.each<{ name: string; spec: LeaseSpec; errors: string[] }>([
  { name: 'may be empty', spec: {}, errors: [] },
  {
    name: 'is elected by a strategy of the API or of a domain',
    spec: { strategy: 'OldestEmulationVersion', preferredHolder: 'a' },
    errors: [],
  },
  {
    name: 'refuses an unknown strategy',
    spec: { strategy: 'Mine' },
    errors: ['spec.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"'],
  },
  {
    name: 'is asked for only in an election',
    spec: { preferredHolder: 'a' },
    errors: ['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined'],
  },
])('A lease: $name', ({ spec, errors }) => {
  expect(validateLease({ metadata: { name: 'l', namespace: 'n' }, spec }).map(fieldErrorText)).toEqual(errors);
});
