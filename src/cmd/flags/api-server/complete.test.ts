import { describe, expect, test } from 'vitest';
import { completeApiServerOptions } from './options.ts';
import { parse } from './testing/parse.ts';

const complete = (...argv: string[]) => {
  const { options, given } = parse(argv);
  return completeApiServerOptions(options, given);
};

describe('completeApiServerOptions', () => {
  test('AlwaysAllow forces anonymous off, and says so when it was asked for', () => {
    expect(complete().options.authentication.anonymousAuth).toBe(false);
    expect(complete().warnings).toEqual([]);
    expect(complete('--anonymous-auth=true').options.authentication.anonymousAuth).toBe(false);
    expect(complete('--anonymous-auth=true').warnings).toEqual([
      'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You ' +
        'should use a different authorizer',
    ]);
    expect(complete('--anonymous-auth=false').warnings).toEqual([]);
  });

  test('completeApiServerOptions throws every problem in one error', () => {
    expect(() => complete('--secure-port=0', '--apiserver-count=0')).toThrow(
      '[--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0, ' +
        "--apiserver-count should be a positive number, but value '0' provided]",
    );
  });

  test('completeApiServerOptions spells gates and APIs out', () => {
    const { featureGates, groupVersions } = complete('--feature-gates=AllAlpha=true', '--runtime-config=api/all=true');
    expect(featureGates['ImageVolume']).toBe(true);
    expect(groupVersions.map(({ apiVersion }) => apiVersion)).toContain('storagemigration.k8s.io/v1alpha1');
  });

  test('completeApiServerOptions takes the canonical spelling of the media type', () => {
    expect(complete('--storage-media-type=application/vnd.orch.protobuf').options.storage.mediaType).toBe(
      'application/vnd.kubernetes.protobuf',
    );
  });

  test('completeApiServerOptions refuses operands after the flags', () => {
    expect(() => parse(['--watch-cache', 'true'])).toThrow(
      '"orch apiserver" does not take any arguments, got ["true"]',
    );
  });
});
