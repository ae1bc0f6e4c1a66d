import { describe, expect, it } from 'vitest';
import type { Secret, ServiceAccount } from '../../api/gen/types/core-v1.ts';
import { accountNameOf, completed, isFor, missingIn, withoutReference } from './sync.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const account = { metadata: { name: 'robot', namespace: 'team', uid: 'u1' } } as ServiceAccount;
const annotated = (annotations: object): Secret =>
  ({ metadata: { name: 't', namespace: 'team', annotations } }) as unknown as Secret;
const filled = (data: object): Secret => ({ metadata: { name: 't', namespace: 'team' }, data }) as unknown as Secret;
const whole = { 'ca.crt': base64('CA'), namespace: base64('team'), token: base64('jwt') };

describe('a secret for a token', () => {
  it.each([
    {
      name: 'is for the account that it names',
      annotations: { 'kubernetes.io/service-account.name': 'robot' },
      expected: true,
    },
    {
      name: 'is for the account of its uid',
      annotations: { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': 'u1' },
      expected: true,
    },
    {
      name: 'is not for a later account of the name',
      annotations: { 'kubernetes.io/service-account.name': 'robot', 'kubernetes.io/service-account.uid': 'u0' },
      expected: false,
    },
    { name: 'is for no account without a name', annotations: {}, expected: false },
  ])('A secret for a token: $name', ({ annotations, expected }) => {
    expect(isFor(annotated(annotations), account)).toBe(expected);
  });

  it('A secret for a token names no account by an empty text', () => {
    expect(accountNameOf(annotated({ 'kubernetes.io/service-account.name': '' }))).toBeUndefined();
  });

  it.each([
    { name: 'nothing when it has all', data: whole, missing: undefined },
    {
      name: 'the certificate when it is another',
      data: { ...whole, 'ca.crt': base64('x') },
      missing: { certificate: true, namespace: false, token: false },
    },
    {
      name: 'the token when it is empty',
      data: { ...whole, token: '' },
      missing: { certificate: false, namespace: false, token: true },
    },
    {
      name: 'everything when it has no data',
      data: undefined,
      missing: { certificate: true, namespace: true, token: true },
    },
  ])('Lacks $name', ({ data, missing }) => {
    expect(missingIn(filled(data!), 'CA')).toEqual(missing);
  });

  it('A secret for a token lacks no certificate where none is known', () => {
    expect(missingIn(filled({ ...whole, 'ca.crt': '' }), '')).toBeUndefined();
  });

  it('A secret for a token keeps what else it has when it is completed', () => {
    const secret = {
      ...filled({ extra: 'eA==' }),
      metadata: { name: 't', namespace: 'team', annotations: { a: 'b' } },
    };
    const missing = { certificate: true, namespace: true, token: true };
    expect(completed(secret, missing, account, { certificate: 'CA', token: 'jwt' })).toEqual({
      metadata: {
        name: 't',
        namespace: 'team',
        annotations: {
          a: 'b',
          'kubernetes.io/service-account.name': 'robot',
          'kubernetes.io/service-account.uid': 'u1',
        },
      },
      data: { extra: 'eA==', ...whole },
    });
  });

  it.each([
    {
      name: 'is taken out of the account that lists it',
      secrets: [{ name: 'a' }, { name: 't' }],
      left: [{ name: 'a' }],
    },
    { name: 'changes no account that does not list it', secrets: [{ name: 'a' }], left: undefined },
  ])('A secret for a token: $name', ({ secrets, left }) => {
    expect(withoutReference({ ...account, secrets }, 't')?.secrets).toEqual(left);
  });
});
