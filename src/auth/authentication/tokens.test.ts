import { describe, expect, test } from 'vitest';
import { anonymous } from './anonymous.ts';
import { forOwnAudiences } from './audience.ts';
import type { Identity, TokenAuthenticator } from './authenticator.ts';
import { bearerTokens, webSocketTokens } from './bearer-token.ts';
import { cachedTokens } from './token-cache.ts';
import { parseTokenFile, tokenFile } from './token-file.ts';
import { fakeRequest } from '../testing/fake-request.ts';
import { unionOfRequests, unionOfTokens } from './union.ts';

const jane: Identity = { user: { name: 'jane', groups: ['devs'] } };
const knows = (token: string, identity = jane): TokenAuthenticator => ({
  name: 'knows',
  authenticateToken: (given) => (given === token ? identity : undefined),
});
const refuses = (message: string): TokenAuthenticator => ({
  name: 'refuses',
  authenticateToken: () => Promise.reject(new Error(message)),
});

describe('unionOfTokens', () => {
  test('The first success wins, whatever others found wrong before', async () => {
    const asked: string[] = [];
    const last: TokenAuthenticator = { name: 'last', authenticateToken: () => void asked.push('last') };
    expect(await unionOfTokens([refuses('bad'), knows('t'), last]).authenticateToken('t', [])).toBe(jane);
    expect(asked).toEqual([]);
  });

  test('unionOfTokens joins what was found wrong, each once', async () => {
    const tokens = unionOfTokens([refuses('bad'), knows('t'), unionOfTokens([refuses('worse'), refuses('bad')])]);
    await expect(tokens.authenticateToken('x', [])).rejects.toThrow(/^\[bad, worse\]$/);
    await expect(unionOfTokens([refuses('bad')]).authenticateToken('x', [])).rejects.toThrow(/^bad$/);
  });

  test('An unknown token is undefined, without a promise', () => {
    expect(unionOfTokens([knows('t')]).authenticateToken('x', [])).toBeUndefined();
  });
});

describe('unionOfRequests', () => {
  const requests = unionOfRequests([bearerTokens(knows('t'), [])], anonymous());

  test('unionOfRequests adds every authenticated user to system:authenticated', async () => {
    expect(await requests.authenticate(fakeRequest(['authorization', 'Bearer t']))).toEqual({
      user: { name: 'jane', groups: ['devs', 'system:authenticated'] },
    });
  });

  test('A request without credentials is anonymous, one with an invalid credential is refused', () => {
    expect(requests.authenticate(fakeRequest())).toEqual({
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    });
    expect(() => requests.authenticate(fakeRequest(['authorization', 'Bearer x']))).toThrow('invalid bearer token');
  });

  test('With configured paths, only requests for one of them are anonymous', () => {
    const some = unionOfRequests([], anonymous(['/livez']));
    expect([
      some.authenticate(fakeRequest([], { path: '/livez' })),
      some.authenticate(fakeRequest([], { path: '/livez/ping' })),
    ]).toMatchObject([{ user: { name: 'system:anonymous' } }, undefined]);
  });
});

describe('the bearer token of a request', () => {
  const bearer = bearerTokens(knows('t'), []);
  const ask = (...headers: string[]) => bearer.authenticate(fakeRequest(headers));

  test.each([['Bearer t'], ['bearer t'], ['BEARER t more'], ['  Bearer t  ']])(
    'The authorization header %j has a bearer token',
    (header) => {
      expect(ask('Authorization', header)).toBe(jane);
    },
  );

  test.each([['Bearer'], ['Bearer '], ['Basic dDp0'], ['Bearert'], ['']])(
    'The authorization header %j has no bearer token',
    (header) => {
      expect(ask('Authorization', header)).toBeUndefined();
    },
  );

  test('The bearer token of a request with a space too many is none, and the caller is told', () => {
    const request = fakeRequest(['Authorization', 'Bearer  t']);
    expect(bearer.authenticate(request)).toBeUndefined();
    expect(request.warnings).toEqual([
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });

  test('Two headers are refused: which one counts must not depend on who reads them', () => {
    expect(() => ask('Authorization', 'Bearer t', 'authorization', 'Bearer x')).toThrow(
      'several Authorization headers',
    );
  });

  test('The bearer token of a request is not looked at when it is larger than any token', () => {
    const asked: string[] = [];
    const all = bearerTokens({ name: 'all', authenticateToken: (token) => void asked.push(token) }, []);
    expect(() => all.authenticate(fakeRequest(['authorization', `Bearer ${'x'.repeat(300_000)}`]))).toThrow(
      'invalid bearer token',
    );
    expect(asked).toEqual([]);
  });
});

describe('the bearer token among the subprotocols of a WebSocket', () => {
  const socket = webSocketTokens(knows('tökén'), []);
  const upgrade = ['upgrade', 'websocket', 'connection', 'keep-alive, Upgrade'];
  const offer = (...protocols: string[]) =>
    socket.authenticate(
      fakeRequest([...upgrade, ...protocols.flatMap((protocol) => ['sec-websocket-protocol', protocol])]),
    );
  const carrying = (token: string | Buffer) =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token as string).toString('base64url')}`;

  test('The bearer token among the subprotocols of a WebSocket is read beside the protocol that is spoken', () => {
    expect(offer(`v5.channel.k8s.io, ${carrying('tökén')}`)).toBe(jane);
    expect(offer('v5.channel.k8s.io', carrying('tökén'))).toBe(jane);
    expect(offer('v5.channel.k8s.io')).toBeUndefined();
    expect(socket.authenticate(fakeRequest(['sec-websocket-protocol', `a, ${carrying('tökén')}`]))).toBeUndefined();
  });

  test.each([
    { name: 'an unknown one', offered: ['a', carrying('x')], message: 'invalid bearer token' },
    {
      name: 'two',
      offered: ['a', carrying('tökén'), carrying('x')],
      message: 'multiple base64.bearer.authorization tokens specified',
    },
    { name: 'one with nothing else to speak', offered: [carrying('tökén')], message: 'missing additional subprotocol' },
    {
      name: 'one that is no text',
      offered: ['a', carrying(Buffer.from([0xff, 0xfe]))],
      message: 'invalid base64url.bearer.authorization token',
    },
    {
      name: 'one that is no base64',
      offered: ['a', 'base64url.bearer.authorization.k8s.io.a*b'],
      message: 'invalid base64url.bearer.authorization token',
    },
  ])('The bearer token among the subprotocols of a WebSocket: $name is refused', ({ offered, message }) => {
    expect(() => offer(...offered)).toThrow(message);
  });
});

describe('cachedTokens', () => {
  const noAudiences: string[] = [];

  function counting(identity: Identity | undefined = jane) {
    const state = { asked: 0, at: 0 };
    const tokens: TokenAuthenticator = {
      name: 'counting',
      authenticateToken: () => Promise.resolve(void state.asked++).then(() => identity),
    };
    const clock = { now: () => state.at, after: () => ({ cancel: () => undefined }) };
    return {
      state,
      cache: (ttls: { successTtlMs: number; failureTtlMs: number; maxBytes?: number }) =>
        cachedTokens({ tokens, clock, now: () => state.at, ...ttls }),
    };
  }

  test('cachedTokens remembers an owner for a while, and answers at once then', async () => {
    const { state, cache } = counting();
    const tokens = cache({ successTtlMs: 10, failureTtlMs: 0 });
    await tokens.authenticateToken('t', []);
    state.at = 9;
    expect(tokens.authenticateToken('t', [])).toBe(jane);
    state.at = 10;
    await tokens.authenticateToken('t', []);
    expect(state.asked).toBe(2);
  });

  test('cachedTokens never remembers an owner beyond the end of the token', async () => {
    const { state, cache } = counting({ ...jane, expiresAt: 4 });
    const tokens = cache({ successTtlMs: 10, failureTtlMs: 0 });
    await tokens.authenticateToken('t', []);
    state.at = 4;
    await tokens.authenticateToken('t', []);
    await tokens.authenticateToken('t', []);
    expect(state.asked).toBe(3);
  });

  test('Audiences are part of the key of cachedTokens', async () => {
    const { state, cache } = counting();
    const tokens = cache({ successTtlMs: 10, failureTtlMs: 0 });
    for (const audiences of [['a'], ['a', 'b'], ['a,b'], [], ['a']]) await tokens.authenticateToken('t', audiences);
    expect(state.asked).toBe(4);
  });

  test('Unknown tokens are cached only when configured, and errors never', async () => {
    for (const [failureTtlMs, asked] of [
      [0, 2],
      [5, 1],
    ] as const) {
      const unknown = counting(undefined);
      // A default parameter would put Jane back.
      const tokens = cachedTokens({
        tokens: {
          name: 'none',
          authenticateToken: () => Promise.resolve(void unknown.state.asked++).then(() => undefined),
        },
        successTtlMs: 10,
        failureTtlMs,
      });
      await tokens.authenticateToken('t', []);
      await tokens.authenticateToken('t', []);
      expect(unknown.state.asked).toBe(asked);
    }
    let asked = 0;
    const failing = cachedTokens({
      tokens: { name: 'failing', authenticateToken: () => Promise.reject(new Error(`no ${asked++}`)) },
      successTtlMs: 10,
      failureTtlMs: 10,
    });
    await expect(failing.authenticateToken('t', [])).rejects.toThrow('no 0');
    await expect(failing.authenticateToken('t', [])).rejects.toThrow('no 1');
  });

  test('Callers of cachedTokens with the same token wait for one answer', async () => {
    const { state, cache } = counting();
    const tokens = cache({ successTtlMs: 10, failureTtlMs: 0 });
    const ask = async () => tokens.authenticateToken('t', []);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([jane, jane, jane]);
    expect(state.asked).toBe(1);
  });

  test('What a connection brought last counts no longer than the owner is remembered', async () => {
    const { state, cache } = counting();
    const tokens = cache({ successTtlMs: 10, failureTtlMs: 0 });
    const connection = {};
    for (state.at = 0; state.at < 20; state.at++) await tokens.authenticateToken('t', [], connection);
    expect(state.asked).toBe(2);
  });

  test.each([
    { name: 'another token', token: 'u', audiences: noAudiences },
    { name: 'a longer one that begins alike', token: 'tt', audiences: noAudiences },
    { name: 'the same token for others', token: 't', audiences: ['a'] },
  ])('cachedTokens: $name on the same connection is another question', async ({ token, audiences }) => {
    const tokens = cachedTokens({
      tokens: {
        name: 'own',
        authenticateToken: (token, audiences) => ({ user: { name: `${token} ${audiences.join()}`, groups: [] } }),
      },
      successTtlMs: 10_000,
      failureTtlMs: 0,
    });
    const connection = {};
    for (let i = 0; i < 3; i++) {
      expect(tokens.authenticateToken('t', noAudiences, connection)).toMatchObject({ user: { name: 't ' } });
      expect(tokens.authenticateToken(token, audiences, connection)).toMatchObject({
        user: { name: `${token} ${audiences.join()}` },
      });
    }
  });

  test('cachedTokens is bounded: the oldest goes first', async () => {
    const { state, cache } = counting();
    const tokens = cache({ successTtlMs: 10, failureTtlMs: 0, maxBytes: 1_600 });
    for (const token of ['a', 'b', 'c', 'c', 'b', 'a']) await tokens.authenticateToken(token, []);
    expect(state.asked).toBe(4);
  });
});

describe('forOwnAudiences', () => {
  const tokens = forOwnAudiences(knows('t'), ['api', 'other']);

  test('forOwnAudiences takes the token for those of the audiences that are asked for', () => {
    expect(tokens.authenticateToken('t', ['x', 'other', 'api'])).toEqual({ ...jane, audiences: ['other', 'api'] });
    expect(tokens.authenticateToken('t', ['x'])).toBeUndefined();
    expect(tokens.authenticateToken('t', [])).toBe(jane);
  });
});

describe('the token file', () => {
  test('The token file names users, ids and groups', () => {
    const content = '# a comment\nadmin-token,admin,1,"system:masters, ops"\n\nplain,"jo ""x""",\n,nobody,3\n';
    expect(parseTokenFile(content)).toEqual([
      { token: 'admin-token', user: { name: 'admin', uid: '1', groups: ['system:masters', 'ops'] } },
      { token: 'plain', user: { name: 'jo "x"', groups: [] } },
    ]);
    expect(tokenFile(content).authenticateToken('plain', [])).toEqual({ user: { name: 'jo "x"', groups: [] } });
    expect(tokenFile(content).authenticateToken('plai', [])).toBeUndefined();
  });

  test('A line that says too little is refused by its number, without the token', () => {
    expect(() => parseTokenFile('secret,name,1\nhidden,name\n')).toThrow(
      /^token file: line 2 must have at least 3 columns \(token, user name, user uid\), but has 2$/,
    );
  });
});
