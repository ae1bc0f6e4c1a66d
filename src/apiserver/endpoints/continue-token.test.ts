import { describe, expect, test } from 'vitest';
import { decodeContinueToken, encodeContinueToken } from './continue-token.ts';

const prefix = '/registry/configmaps/';
const encode = (token: unknown): string =>
  Buffer.from(typeof token === 'string' ? token : JSON.stringify(token)).toString('base64url');
const token = (changes: object): string => encode({ v: 'meta.k8s.io/v1', rv: 5, start: 'default/a\u0000', ...changes });

describe('continue tokens', () => {
  test('Continue tokens resume behind the last key', () => {
    expect(decodeContinueToken(encodeContinueToken(`${prefix}default/a`, prefix, 5), prefix)).toEqual({
      revision: 5,
      after: `${prefix}default/a`,
    });
    expect(Buffer.from(encodeContinueToken(`${prefix}default/a`, prefix, 5), 'base64url').toString()).toBe(
      '{"v":"meta.k8s.io/v1","rv":5,"start":"default/a\\u0000"}',
    );
  });

  test('Continue tokens that name a key resume at it', () => {
    const { after } = decodeContinueToken(token({ start: 'default/b' }), prefix);
    expect(after < `${prefix}default/b`).toBe(true);
    expect(after > `${prefix}default/azzz`).toBe(true);
  });

  test('Continue tokens of no version ask for the current state', () => {
    expect(decodeContinueToken(token({ rv: -1 }), prefix).revision).toBe(-1);
  });

  test('Continue tokens with a revision beyond what numbers hold lie in the future', () => {
    expect(
      decodeContinueToken(encode('{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a"}'), prefix).revision,
    ).toBeGreaterThan(2 ** 62);
  });

  test.each([
    { name: 'no base64', text: '!!!', why: 'illegal base64 data at input byte 0' },
    { name: 'base64 of the other alphabet', text: 'ab+/', why: 'illegal base64 data at input byte 2' },
    { name: 'padding', text: `${encode('{"a":1}')}==`, why: 'illegal base64 data at input byte 10' },
    { name: 'a length that base64 has not', text: 'abcde', why: 'illegal base64 data at input byte 4' },
    { name: 'no JSON', text: encode('{'), why: 'unexpected end of JSON input' },
    { name: 'deep JSON', text: encode('['.repeat(3_000)), why: "invalid character '[' exceeded max depth" },
    {
      name: 'a list',
      text: encode([]),
      why: 'json: cannot unmarshal array into Go value of type storage.continueToken',
    },
    { name: 'null', text: encode(null), why: 'server does not recognize this encoded version ' },
    { name: 'no version', text: encode({}), why: 'server does not recognize this encoded version ' },
    {
      name: 'another version',
      text: token({ v: 'meta.k8s.io/v2' }),
      why: 'server does not recognize this encoded version meta.k8s.io/v2',
    },
    {
      name: 'a version that is no text',
      text: token({ v: 1 }),
      why: 'json: cannot unmarshal number into Go struct field continueToken.v of type string',
    },
    {
      name: 'revision 0',
      text: token({ rv: 0 }),
      why: 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    },
    {
      name: 'a revision that is a text',
      text: token({ rv: '5' }),
      why: 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    },
    {
      name: 'half a revision',
      text: token({ rv: 1.5 }),
      why: 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
    },
    {
      name: 'a revision of many digits',
      text: encode('{"v":"meta.k8s.io/v1","rv":99999999999999999999999,"start":"a"}'),
      why: 'json: cannot unmarshal number 1e+23 into Go struct field continueToken.rv of type int64',
    },
    { name: 'no key', text: token({ start: '' }), why: 'encoded start key empty (version meta.k8s.io/v1)' },
    {
      name: 'a key that is a number',
      text: token({ start: 7 }),
      why: 'json: cannot unmarshal number into Go struct field continueToken.start of type string',
    },
    {
      name: 'a key outside the collection',
      text: token({ start: '../secrets/default/a' }),
      why: '../secrets/default/a',
    },
  ])('Continue tokens: $name is answered 400', ({ text, why }) => {
    expect(() => decodeContinueToken(text, prefix)).toThrow(
      expect.objectContaining({
        code: 400,
        reason: 'BadRequest',
        message: `invalid continue token: continue key is not valid: ${why}`,
      }),
    );
  });
});
