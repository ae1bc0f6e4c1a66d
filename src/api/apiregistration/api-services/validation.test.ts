import { expect, test } from 'vitest';
import type { APIServiceSpec } from '../../gen/types/apiregistration-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { apiServiceCells } from './table.ts';
import { validateApiService } from './validation.ts';

const priorities = { groupPriorityMinimum: 100, versionPriority: 10 };

test.each<{ name: string; object: string; spec: APIServiceSpec; errors: string[] }>([
  { name: 'the core group', object: 'v1.', spec: { ...priorities, version: 'v1' }, errors: [] },
  {
    name: 'no group in another version',
    object: 'v2.',
    spec: { ...priorities, version: 'v2' },
    errors: ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
  },
  {
    name: 'a bundle for what is local',
    object: 'v1.a',
    spec: { ...priorities, group: 'a', version: 'v1', caBundle: 'bm9wZQ==' },
    errors: ['spec.caBundle: Invalid value: "4 bytes": local APIServices may not have a caBundle'],
  },
  {
    name: 'a bundle that is not looked at',
    object: 'v1.a',
    spec: {
      ...priorities,
      group: 'a',
      version: 'v1',
      service: { name: 's', namespace: 'n', port: 443 },
      caBundle: 'bm9wZQ==',
      insecureSkipTLSVerify: true,
    },
    errors: ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
  },
])('API service: $name', ({ object, spec, errors }) => {
  expect(validateApiService({ metadata: { name: object }, spec, status: {} }).map(fieldErrorText)).toEqual(errors);
});

test('The Available column says why not', () => {
  const cells = (reason: string | undefined) =>
    apiServiceCells(
      {
        metadata: { name: 'v1.a' },
        spec: { service: { name: 's', namespace: 'n' } },
        status: { conditions: [{ type: 'Available', status: 'False', ...(reason === undefined ? {} : { reason }) }] },
      },
      new Date(),
    );
  expect(cells('ServiceNotFound').slice(1, 3)).toEqual(['n/s', 'False (ServiceNotFound)']);
  expect(cells(undefined)[2]).toBe('False');
});
