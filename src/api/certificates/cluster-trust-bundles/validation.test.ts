import { describe, expect, test } from 'vitest';
import type { ClusterTrustBundle } from '../../gen/types/certificates-v1alpha1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { caSubject, createAuthority, createServing } from '../../../pki/pki.ts';
import { validateClusterTrustBundle, validateClusterTrustBundleUpdate } from './validation.ts';

const now = new Date('2026-01-01T00:00:00Z');
const authority = createAuthority(caSubject, now);
const ca = authority.certificate;
const leaf = createServing(authority, { dnsNames: ['localhost'], ipAddresses: [] }, now).certificate;
const bundle = (name: string, trustBundle: string, signerName?: string): ClusterTrustBundle => ({
  metadata: { name, resourceVersion: '1' },
  spec: { trustBundle, ...(signerName === undefined ? {} : { signerName }) },
});
const at = (problem: string): string => `spec.trustBundle: Invalid value: "<value omitted>": ${problem}`;

describe('ClusterTrustBundle', () => {
  test.each<{ name: string; object: ClusterTrustBundle; errors: readonly string[] }>([
    { name: 'certificates of a signer', object: bundle('example.com:own:a', ca, 'example.com/own'), errors: [] },
    { name: 'certificates of no signer', object: bundle('plain', ca), errors: [] },
    {
      name: 'a colon in the name without a signer',
      object: bundle('a:b', ca),
      errors: [
        'metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name',
      ],
    },
    {
      name: 'a name of another signer',
      object: bundle('example.com:two:a', ca, 'example.com/own'),
      errors: [
        'metadata.name: Invalid value: "example.com:two:a": ClusterTrustBundle for signerName example.com/own must ' +
          'be named with prefix example.com:own:',
      ],
    },
    { name: 'nothing', object: bundle('a', ''), errors: [at('at least one trust anchor must be provided')] },
    {
      name: 'another kind of block, headers, and bytes that are no certificate',
      object: bundle('a', [ca, ...blocks()].join('\n')),
      errors: [
        at('entry 1 has bad block type: KEY'),
        at('entry 2 has PEM block headers'),
        at('entry 3 does not parse as a certificate: x509: malformed certificate'),
      ],
    },
    {
      name: 'a certificate of no authority',
      object: bundle('a', leaf),
      errors: [at('entry 0 does not have the CA bit set')],
    },
    {
      name: 'one certificate twice',
      object: bundle('a', ca + ca),
      errors: [at('duplicate trust anchor (indices [0 1])')],
    },
    {
      name: 'more than a mebibyte',
      object: bundle('a', 'x'.repeat(1024 * 1024 + 1)),
      errors: ['spec.trustBundle: Too long: may not be more than 1048576 bytes'],
    },
  ])('A trust bundle with $name', ({ object, errors }) => {
    expect(validateClusterTrustBundle(object).map(fieldErrorText)).toEqual(errors);
  });

  test('An update reads certificates only where they change, and keeps the signer', () => {
    const old = bundle('plain', 'not read');
    expect(validateClusterTrustBundleUpdate(old, old)).toEqual([]);
    const changed = bundle('example.com:own:a', ca, 'example.com/own');
    const before = bundle('example.com:own:a', ca, 'example.com/two');
    expect(validateClusterTrustBundleUpdate(changed, before).map(fieldErrorText)).toEqual([
      'spec.signerName: Invalid value: "example.com/own": field is immutable',
    ]);
  });
});

function blocks(): string[] {
  return [
    '-----BEGIN KEY-----\nYWFh\n-----END KEY-----',
    '-----BEGIN CERTIFICATE-----\na: b\n\nYWFh\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE-----\nYWFh\n-----END CERTIFICATE-----',
  ];
}
