import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { checkTokenClaims } from '../../../src/apiserver/authn/jwt/tokens.ts';
import { fixedKeys, verificationKey } from '../../../src/auth/service-accounts/keys.ts';
import { unverifiedClaims, verifiedTokens } from '../../../src/apiserver/authn/service-accounts/verifier.ts';
import { pick, randomInt, randomJson, randomObject, type RandomSource } from '../../support/random.ts';
import { changed } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const issuer = 'https://issuer';
const key = verificationKey(publicKey);

/** Claims that were signed: nothing else may come out of a token. */
const signed = new Set<string>();

const authenticator = verifiedTokens({
  name: 'fuzz',
  issuers: [issuer],
  keys: fixedKeys([key]),
  audiences: ['a'],
  validate: (claims) => {
    assert.ok(signed.has(JSON.stringify(claims)), `claims that were not signed: ${JSON.stringify(claims)}`);
    return Promise.resolve({ user: { name: 'u', groups: [] } });
  },
});

function token(random: RandomSource): string {
  const header = {
    alg: pick(random, ['ES256', 'ES256', 'ES256', 'none', 'HS256', 'RS256', '', 5, null]),
    ...(random() < 0.5 ? { kid: pick<unknown>(random, [key.id, 'x', 5, null, {}]) } : {}),
    ...(random() < 0.2 ? { crit: ['b64'], b64: false } : {}),
  };
  const times = [0, 1, -1, 1e20, 'x', null, Math.floor(Date.now() / 1000) + 100];
  const claims = {
    ...randomObject(random, 2),
    iss: random() < 0.9 ? issuer : randomJson(random, 1),
    aud: pick<unknown>(random, ['a', ['a', 'b'], [], 5, {}, ['a', 5]]),
    exp: pick<unknown>(random, times),
    nbf: pick<unknown>(random, times),
  };
  const content = `${encode(header)}.${encode(claims)}`;
  const isGood = header.alg === 'ES256' && header.crit === undefined;
  if (isGood) signed.add(JSON.stringify(claims));
  const signature = (): string =>
    sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return `${content}.${isGood || random() < 0.5 ? signature() : ''}`;
}

/** Part by part, so that the rest stays a token. */
function changedToken(random: RandomSource): string {
  const parts = token(random).split('.');
  const at = randomInt(random, parts.length);
  parts[at] =
    random() < 0.5
      ? changed(random, Buffer.from(parts[at]!, 'base64url')).toString('base64url')
      : changed(random, Buffer.from(parts[at]!)).toString('latin1');
  return parts.join(pick(random, ['.', '.', '.', '.', '..', '']));
}

/** An error with a message for the log; none that says something of the code. */
const isOwn = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof assert.AssertionError) &&
  !(error instanceof TypeError) &&
  !(error instanceof RangeError);

export const target: FuzzTarget = {
  about: 'tokens: signatures, claims, and what is asked of them',
  runs: 1_500,
  generate: (random) => Buffer.from(random() < 0.3 ? token(random) : changedToken(random)),
  async check(input) {
    const text = input.toString();
    const claims = unverifiedClaims(text);
    try {
      await authenticator.authenticateToken(text, []);
    } catch (error) {
      assert.ok(isOwn(error), (error as Error).stack);
    }
    if (claims === undefined) return;
    try {
      assert.equal(typeof checkTokenClaims(claims, { url: issuer, audiences: ['a'] }, Date.now() / 1000), 'number');
    } catch (error) {
      assert.ok(isOwn(error), (error as Error).stack);
    }
  },
};
