/** Signature and audience of service account tokens; what they say beyond is for others to judge. */
import { compactVerify } from 'jose';
import { goQuote } from '../../../machinery/go-quote.ts';
import { type Identity, intersect, type TokenAuthenticator } from '../../../auth/authentication/authenticator.ts';
import type { KeySource } from '../../../auth/service-accounts/keys.ts';

/** Judges claims whose signature is good. Throws when they do not hold (any more). */
export type ClaimsValidator = (claims: Readonly<Record<string, unknown>>, token: string) => Promise<Identity>;

export interface VerifierOptions {
  readonly name: string;
  /** Tokens of others are not looked at. */
  readonly issuers: readonly string[];
  readonly keys: KeySource;
  /**
   * `--api-audiences`: the audience of a token that names none, and the required audience when a caller asks for no
   * other.
   */
  readonly audiences: readonly string[];
  readonly validate: ClaimsValidator;
}

export function verifiedTokens({ name, issuers, keys, audiences: own, validate }: VerifierOptions): TokenAuthenticator {
  return {
    name,
    authenticateToken(token, asked) {
      // Not verified yet: it only says whose keys to take.
      const issuer = unverifiedClaims(token)?.['iss'];
      if (typeof issuer !== 'string' || !issuers.includes(issuer)) return undefined;
      return judge(token, asked.length === 0 ? own : asked);
    },
  };

  async function judge(token: string, wanted: readonly string[]): Promise<Identity> {
    const claims = await verify(token, keys);
    const named = audiencesOf(claims['aud']);
    const meant = named.length === 0 ? own : named;
    const audiences = intersect(wanted, meant);
    if (audiences.length === 0 && own.length > 0)
      throw new Error(`token audiences ${quoted(meant)} is invalid for the target audiences ${quoted(wanted)}`);
    const identity = await validate(claims, token);
    return audiences.length === 0 ? identity : { ...identity, audiences };
  }
}

const quoted = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

const audiencesOf = (aud: unknown): string[] =>
  typeof aud === 'string'
    ? [aud]
    : Array.isArray(aud)
      ? aud.filter((item): item is string => typeof item === 'string')
      : [];

async function verify(token: string, keys: KeySource): Promise<Readonly<Record<string, unknown>>> {
  const keyId = unverifiedPart(token, 0)?.['kid'];
  const candidates = await keys.find(typeof keyId === 'string' ? keyId : undefined);
  if (candidates.length === 0) throw new Error('invalid signature, no keys found');
  for (const { key, algorithm } of candidates) {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
      return JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>;
    } catch {
      // The next one may be the right one. What is wrong with each says nothing to the caller.
    }
  }
  throw new Error('invalid signature');
}

/** The unverified claims, which may be anything. Undefined: no JWT. */
export const unverifiedClaims = (token: string): Readonly<Record<string, unknown>> | undefined =>
  unverifiedPart(token, 1);

function unverifiedPart(token: string, index: 0 | 1): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(parts[index]!, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
