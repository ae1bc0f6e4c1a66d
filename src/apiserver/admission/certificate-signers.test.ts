import { describe, expect, test } from 'vitest';
import type { ClusterTrustBundle } from '../../api/gen/types/certificates-v1alpha1.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import { createClusterTrustBundleAttest } from './certificate-signers.ts';
import { attributesFor } from './testing/attributes.ts';

const bundle = (signerName: string, more: Partial<ClusterTrustBundle['metadata']> = {}): ClusterTrustBundle => ({
  metadata: { name: 'b', ...more },
  spec: { signerName, trustBundle: 'x' },
});
/** Allows what it is told to by `verb name`. */
const allowing = (...allowed: string[]): Authorizer => ({
  authorize: ({ verb, group, resource, name }) => ({
    decision:
      group === 'certificates.k8s.io' && resource === 'signers' && allowed.includes(`${verb} ${name}`)
        ? 'allow'
        : 'noOpinion',
    reason: '',
  }),
});

describe('ClusterTrustBundleAttest', () => {
  const validate = async (
    authorizer: Authorizer,
    object: ClusterTrustBundle,
    oldObject?: ClusterTrustBundle,
  ): Promise<void> =>
    createClusterTrustBundleAttest({ authorizer }).validate!(
      attributesFor('clustertrustbundles', object, {
        resource: { group: 'certificates.k8s.io', version: 'v1alpha1', resource: 'clustertrustbundles' },
        namespace: '',
        operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
        oldObject,
      }),
    );

  test.each([
    { name: 'with the right for the signer', authorizer: allowing('attest a.com/b'), object: bundle('a.com/b') },
    { name: 'with the right for its domain', authorizer: allowing('attest a.com/*'), object: bundle('a.com/b') },
    { name: 'without a signer', authorizer: allowing(), object: bundle('') },
    {
      name: 'when only owners change',
      authorizer: allowing(),
      object: bundle('a.com/b', { finalizers: [] }),
      old: bundle('a.com/b', { finalizers: ['x/y'] }),
    },
  ])('ClusterTrustBundleAttest lets a bundle pass $name', async ({ authorizer, object, old }) => {
    await expect(validate(authorizer, object, old)).resolves.toBeUndefined();
  });

  test.each([
    { name: 'for another signer', authorizer: allowing('attest a.com/c', 'attest b.com/*'), object: bundle('a.com/b') },
    { name: 'to approve', authorizer: allowing('approve a.com/b'), object: bundle('a.com/b') },
    {
      name: 'for what it was before',
      authorizer: allowing('attest a.com/b'),
      object: bundle('b.com/b'),
      old: bundle('a.com/b'),
    },
  ])('ClusterTrustBundleAttest refuses it with the right $name', async ({ authorizer, object, old }) => {
    await expect(validate(authorizer, object, old)).rejects.toMatchObject({
      code: 403,
      message:
        'clustertrustbundles.certificates.k8s.io "b" is forbidden: user not permitted to attest for signerName ' +
        `"${object.spec.signerName}"`,
    });
  });
});
