import { createPrivateKey, X509Certificate } from 'node:crypto';
import { validateSecret, validateSecretUpdate } from '../../../api/core/secrets/validation.ts';
import type { Secret } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

/** A TLS secret whose pair cannot be used is stored all the same, with a warning to its writer. */
function tlsWarnings({ type, data }: Secret): string[] {
  if (type !== 'kubernetes.io/tls') return [];
  const certificate = Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString();
  const key = Buffer.from(data?.['tls.key'] ?? '', 'base64').toString();
  if (!certificate.includes('-----BEGIN')) return ['tls: failed to find any PEM data in certificate input'];
  if (!key.includes('-----BEGIN')) return ['tls: failed to find any PEM data in key input'];
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
      ? []
      : ['tls: private key does not match public key'];
  } catch {
    return ['tls: failed to parse certificate or private key'];
  }
}

export const secretStrategy: ResourceStrategy<Secret> = {
  validate: validateSecret,
  warningsOnCreate: tlsWarnings,
  prepareForUpdate: (object, old) => {
    if ((object.type ?? '') === '') object.type = old.type!;
  },
  validateUpdate: validateSecretUpdate,
  warningsOnUpdate: tlsWarnings,
};
