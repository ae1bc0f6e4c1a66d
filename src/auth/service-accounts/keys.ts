/**
 * Keys of service account tokens: which of a PEM file verify, what they are called, and how they are published.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7517 | RFC 7517} for JSON Web Keys
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

export interface VerificationKey {
  /** `kid` of the tokens it verifies. */
  readonly id: string;
  /** The one algorithm it is for: a token may not choose. */
  readonly algorithm: string;
  readonly key: KeyObject;
}

/** Source of keys: files, or an external signer that changes them. */
export interface KeySource {
  /** Those that may have signed a token with this `kid`. */
  find(keyId: string | undefined): Promise<readonly VerificationKey[]> | readonly VerificationKey[];
  /** Those that others may know of. */
  readonly published: readonly VerificationKey[];
  /** How long others may remember them. */
  readonly maxAgeSeconds: number;
}

const hourSeconds = 3600;

/** A token that names none of them may be signed with any. */
export const fixedKeys = (keys: readonly VerificationKey[]): KeySource => ({
  find(keyId) {
    const named = keys.filter(({ id }) => id === keyId);
    return named.length > 0 ? named : keys;
  },
  published: keys,
  maxAgeSeconds: hourSeconds,
});

const algorithmOfCurve: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** Throws for a key that is neither RSA nor on a curve of JWA. */
export function verificationKey(key: KeyObject): VerificationKey {
  return {
    id: createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('base64url'),
    algorithm: algorithmOf(key),
    key,
  };
}

export function algorithmOf(key: KeyObject): string {
  const algorithm =
    key.asymmetricKeyType === 'rsa'
      ? 'RS256'
      : key.asymmetricKeyType === 'ec'
        ? algorithmOfCurve[key.asymmetricKeyDetails?.namedCurve ?? '']
        : undefined;
  if (algorithm === undefined)
    throw new Error(
      `unknown public key type ${key.asymmetricKeyType ?? ''}, must be RSA or ECDSA (P-256, P-384, P-521)`,
    );
  return algorithm;
}

/** The public keys of all blocks of a PEM text: public keys, private keys, certificates. Throws when there is none. */
export function readPublicKeys(pem: string): VerificationKey[] {
  const blocks = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g)].filter(
    ([, label]) => label !== 'EC PARAMETERS',
  );
  const keys = blocks.map(([block, label]) => verificationKey(publicKeyOf(block, label!)));
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys');
  return keys;
}

function publicKeyOf(block: string, label: string): KeyObject {
  try {
    return label === 'CERTIFICATE' ? new X509Certificate(block).publicKey : createPublicKey(block);
  } catch {
    // What OpenSSL says might quote the key.
    throw new Error(`a block ${label} cannot be read as a key`);
  }
}

/** Throws when there is no key, or one that cannot sign tokens. */
export function readSigningKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error('data does not contain a valid RSA or ECDSA private key');
  }
  algorithmOf(createPublicKey(key));
  return key;
}

/** A public key as clients read it, members in the reference's order. */
export function publishedKey({ id, algorithm, key }: VerificationKey): Record<string, string> {
  const { kty = '', crv, x, y, n, e } = key.export({ format: 'jwk' });
  const members = { use: 'sig', kty, kid: id, crv, alg: algorithm, n, e, x, y };
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => member[1] !== undefined),
  );
}
