import { expect, test } from 'vitest';
import type { LeaseCandidateSpec } from '../../gen/types/coordination-v1alpha2.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { validateLeaseCandidate, validateLeaseCandidateUpdate } from './validation.ts';

const valid: LeaseCandidateSpec = {
  leaseName: 'kube-scheduler',
  binaryVersion: '1.32.13',
  emulationVersion: '1.31.0',
  strategy: 'OldestEmulationVersion',
};
const candidate = (spec: LeaseCandidateSpec, name = 'host_1') => ({
  metadata: { name, namespace: 'kube-system', resourceVersion: '1' },
  spec,
});

test.each<{ name: string; spec: LeaseCandidateSpec; errors: string[] }>([
  { name: 'is valid', spec: {}, errors: [] },
  { name: 'may have a strategy of a domain', spec: { strategy: 'example.com/mine', emulationVersion: '' }, errors: [] },
  {
    name: 'names a lease, versions and a strategy',
    spec: { leaseName: '', binaryVersion: '', emulationVersion: '', strategy: '' },
    errors: ['spec.leaseName: Required value', 'spec.binaryVersion: Required value', 'spec.strategy: Required value'],
  },
  {
    name: 'has semantic versions',
    spec: { binaryVersion: '1.32', emulationVersion: 'v1.31.0', strategy: 'example.com/mine' },
    errors: [
      'spec.emulationVersion: Invalid value: "v1.31.0": must be a valid semantic version',
      'spec.binaryVersion: Invalid value: "1.32": must be a valid semantic version',
    ],
  },
  {
    name: 'does not emulate what is newer than itself',
    spec: { binaryVersion: '1.31.9', emulationVersion: '1.32.0' },
    errors: ['spec.binaryVersion: Invalid value: "1.31.9": must be greater than or equal to `emulationVersion`'],
  },
  {
    name: 'names an emulated version where that decides',
    spec: { emulationVersion: '' },
    errors: ["spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"],
  },
  {
    name: 'refuses an unknown strategy',
    spec: { strategy: 'Newest' },
    errors: ['spec.strategy: Unsupported value: "Newest": supported values: "OldestEmulationVersion"'],
  },
])('A lease candidate $name', ({ spec, errors }) => {
  expect(validateLeaseCandidate(candidate({ ...valid, ...spec })).map(fieldErrorText)).toEqual(errors);
});

test('The name of a candidate may have underscores, and no spaces', () => {
  expect(validateLeaseCandidate(candidate(valid, 'Host_1-2.x'))).toEqual([]);
  expect(validateLeaseCandidate(candidate(valid, 'a b')).map(fieldErrorText)).toEqual([
    expect.stringMatching(/^metadata\.name: Invalid value: "a b": a valid config key must consist of/),
  ]);
});

test('A candidate stays one for the same lease', () => {
  const errors = validateLeaseCandidateUpdate(candidate({ ...valid, leaseName: 'other' }), candidate(valid));
  expect(errors.map(fieldErrorText)).toEqual(['spec.leaseName: Invalid value: "other": field is immutable']);
});
