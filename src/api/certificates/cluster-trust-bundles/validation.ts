/**
 * Root certificates of a signer, or of none.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#cluster-trust-bundles |
 *   Cluster trust bundles}
 */
import type { ClusterTrustBundle } from '../../gen/types/certificates-v1alpha1.ts';
import { type FieldError, invalid, tooLong } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { readPem, type PemBlock } from '../../../pki/pem.ts';
import { trustAnchorProblem } from '../../../pki/issued-certificate.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { type NameRule, subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkSignerName } from '../signer-name.ts';

const signerPath = FieldPath.of('spec', 'signerName');
const bundlePath = FieldPath.of('spec', 'trustBundle');
const maxBundleBytes = 1024 * 1024;
const omitted = '<value omitted>';

export function validateClusterTrustBundle(bundle: ClusterTrustBundle): FieldErrors {
  return FieldErrors.joined(metaAndSigner(bundle), bundleErrors(bundle.spec.trustBundle ?? ''));
}

/** Certificates that stay are not read again. */
export function validateClusterTrustBundleUpdate(bundle: ClusterTrustBundle, old: ClusterTrustBundle): FieldErrors {
  const { signerName = '', trustBundle = '' } = bundle.spec;
  const errors = metaAndSigner(bundle);
  if (trustBundle !== (old.spec.trustBundle ?? '')) errors.push(...bundleErrors(trustBundle));
  errors.push(...validateBuiltInMetaUpdate(bundle.metadata, old.metadata));
  checkImmutable(signerName, old.spec.signerName ?? '', signerPath, errors);
  return errors;
}

function metaAndSigner({ metadata, spec: { signerName = '' } }: ClusterTrustBundle): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: nameRuleOf(signerName) });
  if (signerName !== '') checkSignerName(signerName, signerPath, errors);
  return errors;
}

/** The name begins with the signer, so that rights to names are rights to signers. */
const nameRuleOf =
  (signerName: string): NameRule =>
  (name, isPrefix) => {
    if (signerName === '')
      return name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : subdomainName(name, isPrefix);
    const prefix = `${signerName.replaceAll('/', ':')}:`;
    return name.startsWith(prefix)
      ? subdomainName(name.slice(prefix.length), isPrefix)
      : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
  };

function bundleErrors(text: string): readonly FieldError[] {
  if (Buffer.byteLength(text) > maxBundleBytes) return [tooLong(bundlePath, maxBundleBytes)];
  const blocks = readPem(text);
  const wrong = blocks.flatMap((block, i) => problemsOf(block).map((problem) => `entry ${i} ${problem}`));
  const problems = wrong.length > 0 ? wrong : anchorProblems(blocks);
  return problems.map((problem) => invalid(bundlePath, omitted, problem));
}

function problemsOf({ type, hasHeaders, bytes }: PemBlock): readonly string[] {
  if (type !== 'CERTIFICATE') return [`has bad block type: ${type}`];
  if (hasHeaders) return ['has PEM block headers'];
  const problem = trustAnchorProblem(bytes);
  return problem === undefined ? [] : [problem];
}

function anchorProblems(blocks: readonly PemBlock[]): readonly string[] {
  if (blocks.length === 0) return ['at least one trust anchor must be provided'];
  const indices = new Map<string, number[]>();
  for (const [i, { bytes }] of blocks.entries()) {
    const key = bytes.toString('base64');
    indices.set(key, [...(indices.get(key) ?? []), i]);
  }
  return [...indices.values()]
    .filter((same) => same.length > 1)
    .map((same) => `duplicate trust anchor (indices [${same.join(' ')}])`);
}
