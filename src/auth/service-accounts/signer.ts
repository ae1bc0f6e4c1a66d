import { createPublicKey, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { verificationKey } from './keys.ts';

/** Signs claims as a compact JWS (RFC 7515 section 7.1). */
export type Signer = (claims: object, signal: AbortSignal) => Promise<string>;

export function createSigner(key: KeyObject): Signer {
  const { id, algorithm } = verificationKey(createPublicKey(key));
  return (claims) =>
    new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg: algorithm, kid: id }).sign(key);
}

/** How tokens are made. */
export interface TokenIssuing {
  readonly issuer: string;
  readonly sign: Signer;
  /** The audience of a token whose request names none. */
  readonly audiences: readonly string[];
  readonly extendExpiration: boolean;
  /** Life of a token that is extended. */
  readonly extendedSeconds: number;
  /** 0 means no limit but that of the API. */
  readonly maxExpirationSeconds: number;
}
