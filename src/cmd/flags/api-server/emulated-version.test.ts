import { describe, expect, test } from 'vitest';
import { isGateOn } from '../../../api/feature-gates.ts';
import { completeApiServerOptions } from './options.ts';
import { apiServerFlags } from './table.ts';
import { parseFlags } from '../parse.ts';

function complete(...argv: string[]) {
  const { options, given } = parseFlags(apiServerFlags, argv);
  return completeApiServerOptions(options, given);
}

const everything = '--runtime-config=api/all=true';
const apis = (...argv: string[]): string[] =>
  complete(everything, ...argv).groupVersions.flatMap(({ apiVersion, resources }) =>
    resources.map(({ name }) => `${apiVersion}/${name}`),
  );

describe('--emulated-version', () => {
  test.each(['1.31', 'kube:1.31', 'v1.31.0'])('%s leaves out what came with 1.32', (value) => {
    const old = new Set(apis(`--emulated-version=${value}`));
    expect(
      apis()
        .filter((name) => !old.has(name))
        .sort(),
    ).toEqual([
      'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies',
      'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings',
      'coordination.k8s.io/v1alpha2/leasecandidates',
      'resource.k8s.io/v1beta1/deviceclasses',
      'resource.k8s.io/v1beta1/resourceclaims',
      'resource.k8s.io/v1beta1/resourceclaimtemplates',
      'resource.k8s.io/v1beta1/resourceslices',
    ]);
  });

  test('1.32 is what this server is anyway', () => {
    expect(complete(everything, '--emulated-version=1.32')).toMatchObject({
      groupVersions: complete(everything).groupVersions,
      featureGates: complete(everything).featureGates,
    });
  });

  test.each([
    { argv: [], on: true },
    { argv: ['--emulated-version=1.31'], on: false },
    { argv: ['--emulated-version=1.31', '--feature-gates=AuthorizeWithSelectors=true'], on: true },
    { argv: ['--emulated-version=1.31', '--feature-gates=AllBeta=true'], on: false },
    { argv: ['--emulated-version=1.31', '--feature-gates=AllAlpha=true'], on: true },
  ])('A gate has the default and the stage that it had then: $argv', ({ argv, on }) => {
    expect(isGateOn('AuthorizeWithSelectors', complete(...argv).featureGates)).toBe(on);
  });

  test('AllAlpha does not switch on what did not exist', () => {
    const { featureGates } = complete('--emulated-version=1.31', '--feature-gates=AllAlpha=true');
    expect([isGateOn('ComponentStatusz', featureGates), isGateOn('ImageVolume', featureGates)]).toEqual([false, true]);
  });

  test.each([
    { argv: ['--emulated-version=1.30'], problem: 'emulation version 1.30 is not between [1.31, 1.32]' },
    { argv: ['--emulated-version=1.33'], problem: 'emulation version 1.33 is not between [1.31, 1.32]' },
    { argv: ['--emulated-version=2.31'], problem: 'emulation version 2.31 is not between [1.31, 1.32]' },
    { argv: ['--emulated-version=1.31.2'], problem: 'patch version not allowed, got: kube=1.31.2' },
    { argv: ['--emulated-version=other:1.31'], problem: 'component not registered: other' },
    { argv: ['--emulated-version=new'], problem: 'could not parse "new" as version' },
    { argv: ['--emulated-version=1.31,kube:1.32'], problem: 'duplicate version flag, kube=1.32' },
    {
      argv: ['--emulated-version=1.31', '--feature-gates=ComponentFlagz=true'],
      problem: 'cannot set feature gate ComponentFlagz to true, feature is PreAlpha at emulated version 1.31',
    },
  ])('$argv is refused', ({ argv, problem }) => {
    expect(() => complete(...argv)).toThrow(expect.objectContaining({ problems: [problem] }) as Error);
  });
});
