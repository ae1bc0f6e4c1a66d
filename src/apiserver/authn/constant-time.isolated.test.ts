/**
 * Nothing but functions that take the same time for every token of a length decides whether a token is the right one.
 *
 * Times are not measured: on a busy machine they say nothing, and a comparison that ends at the first difference is a
 * matter of nanoseconds. The tests show which code decides instead. They replace the two functions that may decide
 * (comparison in constant time, and lookup by a digest that a client cannot choose): every comparison returns "equal",
 * every digest is the same. Then a wrong token of the right length must be accepted. If `===`, a Map with tokens as
 * keys, `startsWith` or the like took part in the decision, the token would still be refused, and the test would fail.
 * Without the replacements the same token is refused, which shows that it is wrong.
 */
import type * as Crypto from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Identity, MaybePromise } from '../../auth/authentication/authenticator.ts';
import { bootstrapTokens } from './bootstrap-token.ts';
import { legacyTokens } from './service-accounts/legacy-tokens.ts';
import { cachedTokens } from '../../auth/authentication/token-cache.ts';
import { tokenFile } from '../../auth/authentication/token-file.ts';

const lies = vi.hoisted(() => ({ comparisons: false, digests: false }));

vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof Crypto>();
  const oneDigest = { update: () => oneDigest, digest: () => 'the same for all' };
  return {
    ...crypto,
    timingSafeEqual: (a: Buffer, b: Buffer) => lies.comparisons || crypto.timingSafeEqual(a, b),
    createHash: (algorithm: string) => (lies.digests ? oneDigest : crypto.createHash(algorithm)),
    createHmac: (algorithm: string, key: Buffer) => (lies.digests ? oneDigest : crypto.createHmac(algorithm, key)),
  };
});

beforeEach(() => Object.assign(lies, { comparisons: false, digests: false }));

const encode = (text: string): string => Buffer.from(text).toString('base64');
const user = { name: 'jane', groups: [] };
const uid = '0b5d6f7e';

const objects: Readonly<Record<string, object>> = {
  'bootstrap-token-abcdef': {
    type: 'bootstrap.kubernetes.io/token',
    data: {
      'token-id': encode('abcdef'),
      'token-secret': encode('0123456789abcdef'),
      'usage-bootstrap-authentication': encode('true'),
    },
    metadata: {},
  },
  'robot-token': { data: { token: encode('right-token') }, metadata: {} },
  robot: { metadata: { uid } },
};
const find = (_group: string, _resource: string, _namespace: string, name: string): Promise<never> =>
  Promise.resolve(objects[name] as never);
const reader = { find, findFresh: find };

const legacyClaims = {
  sub: 'system:serviceaccount:default:robot',
  'kubernetes.io/serviceaccount/namespace': 'default',
  'kubernetes.io/serviceaccount/secret.name': 'robot-token',
  'kubernetes.io/serviceaccount/service-account.name': 'robot',
  'kubernetes.io/serviceaccount/service-account.uid': uid,
};

interface Place {
  readonly name: string;
  readonly right: string;
  readonly wrong: string;
  /** What has to lie for the wrong token to be let in. */
  readonly decided: Partial<typeof lies>;
  /** Returns the user of a token; undefined for an unknown one. */
  readonly prepare: () => (token: string) => MaybePromise<unknown>;
}

const audiences: string[] = [];

const remembering = (connection: object | undefined) => {
  const tokens = cachedTokens({
    tokens: {
      name: 'own',
      authenticateToken: (token): Identity | undefined =>
        Buffer.from(token).equals(Buffer.from('right-token')) ? { user } : undefined,
    },
    successTtlMs: 60_000,
    failureTtlMs: 0,
  });
  return (token: string): MaybePromise<unknown> => tokens.authenticateToken(token, audiences, connection);
};

const places: Place[] = [
  {
    name: 'a token of the token file',
    right: 'right-token',
    wrong: 'wrong-token',
    decided: { comparisons: true, digests: true },
    prepare: () => (token) => tokenFile('right-token,jane,1\n').authenticateToken(token, []),
  },
  {
    name: 'the secret of a bootstrap token',
    right: 'abcdef.0123456789abcdef',
    wrong: 'abcdef.fedcba9876543210',
    decided: { comparisons: true },
    prepare: () => (token) => bootstrapTokens(reader).authenticateToken(token, []),
  },
  {
    name: 'a token that a secret holds',
    right: 'right-token',
    wrong: 'wrong-token',
    decided: { comparisons: true },
    prepare: () => (token) =>
      legacyTokens({ objects: reader, lookup: true, onUse: () => undefined, count: () => undefined })(
        legacyClaims,
        token,
      ).catch(() => undefined),
  },
  {
    name: 'a token that is remembered',
    right: 'right-token',
    wrong: 'wrong-token',
    decided: { digests: true },
    prepare: () => remembering(undefined),
  },
  {
    name: 'the last token of a connection',
    right: 'right-token',
    wrong: 'wrong-token',
    decided: { comparisons: true },
    prepare: () => remembering({}),
  },
];

describe.each(places)('$name', ({ right, wrong, decided, prepare }) => {
  test('A secret is the right one only if it is the same', async () => {
    const ask = prepare();
    expect(await ask(right)).toBeDefined();
    expect(await ask(wrong)).toBeUndefined();
  });

  test('A secret is judged by nothing that takes longer the more of it is right', async () => {
    const ask = prepare();
    if (decided.digests === true) Object.assign(lies, { digests: true });
    // Twice: what a connection brings is kept when it is known already.
    for (let i = 0; i < 2; i++) await ask(right);
    Object.assign(lies, decided);
    expect(await ask(wrong)).toBeDefined();
  });
});
