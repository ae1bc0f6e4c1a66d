import { describe, expect, test } from 'vitest';
import type { UserInfo } from '../../machinery/user.ts';
import type { ReferenceFacts } from './event.ts';
import { Shortener } from './shorten.ts';

const long = 'x'.repeat(1_000_000);
const cutTo = (chars: number): string => `${'x'.repeat(chars)}...TRUNCATED`;
const name = cutTo(1024);
const many = Array.from({ length: 100_000 }, (_, i) => `group-${i}`);
const jane: UserInfo = { name: 'jane', uid: '7', groups: ['devs', 'ops'], extra: { scopes: ['view', 'edit'] } };
const reference: ReferenceFacts = {
  resource: 'pods',
  namespace: 'default',
  name: 'web',
  uid: '',
  apiGroup: '',
  apiVersion: 'v1',
  resourceVersion: '',
  subresource: '',
};

const userRows: readonly { what: string; user: UserInfo; cut: readonly string[]; shown: object }[] = [
  { what: 'a name', user: { ...jane, name: long }, cut: ['user.username'], shown: { name } },
  { what: 'a uid', user: { ...jane, uid: long }, cut: ['user.uid'], shown: { uid: name } },
  {
    what: 'a group',
    user: { ...jane, groups: ['a', long, 'b'] },
    cut: ['user.groups'],
    shown: { groups: ['a', name, 'b'] },
  },
  {
    what: 'a hundred thousand groups',
    user: { ...jane, groups: many },
    cut: ['user.groups'],
    shown: { groups: [...many.slice(0, 1000), '...TRUNCATED'] },
  },
  {
    what: 'a key of extra',
    user: { ...jane, extra: { [long.slice(0, 2000)]: ['v'] } },
    cut: ['user.extra'],
    shown: { extra: { [name]: ['v'] } },
  },
  {
    what: 'a value of extra',
    user: { ...jane, extra: { scopes: [long] } },
    cut: ['user.extra'],
    shown: { extra: { scopes: [name] } },
  },
];

describe('what an event says of a user', () => {
  test.each(userRows)('An audit event is cut: $what', ({ user, cut, shown }) => {
    const shortener = new Shortener();
    expect(shortener.user('user', user)).toEqual({ ...jane, ...shown });
    expect(shortener.cut).toEqual(cut);
  });

  test('What an audit event says of a user is the same object where nothing is long', () => {
    const shortener = new Shortener();
    expect(shortener.user('user', jane)).toBe(jane);
    expect(shortener.cut).toEqual([]);
  });

  test.each([
    { what: 'groups', user: { ...jane, groups: Array.from({ length: 1000 }, () => long.slice(0, 1024)) } },
    { what: 'keys', user: { ...jane, extra: Object.fromEntries(many.map((key) => [key, ['v']])) } },
    { what: 'values', user: { ...jane, extra: { scopes: many } } },
    {
      what: 'keys with values',
      user: {
        ...jane,
        extra: Object.fromEntries(many.slice(0, 1000).map((key) => [key, [long.slice(0, 1000), long.slice(0, 1000)]])),
      },
    },
  ])('What an event says of a user has an end in all: $what', ({ user }) => {
    expect(JSON.stringify(new Shortener().user('user', user)).length).toBeLessThan(70_000);
  });
});

test('The members of a reference are cut', () => {
  const shortener = new Shortener();
  expect(shortener.reference({ ...reference, name: long, resource: long })).toEqual({
    ...reference,
    name,
    resource: name,
  });
  expect(shortener.cut).toEqual(['objectRef.resource', 'objectRef.name']);
  expect(shortener.reference(reference)).toBe(reference);
});

test('The message, the names and the causes of a status are cut', () => {
  const shortener = new Shortener();
  const causes = many.map((field) => ({ reason: 'FieldValueInvalid', message: 'is wrong', field }));
  const status = { status: 'Failure' as const, message: long, code: 422, details: { name: long, kind: 'Pod', causes } };
  const short = shortener.status(status);
  expect(short).toMatchObject({ status: 'Failure', message: cutTo(16_384), code: 422, details: { name, kind: 'Pod' } });
  expect(short.details!.causes).toEqual(causes.slice(0, short.details!.causes!.length));
  expect(JSON.stringify(short).length).toBeLessThan(100_000);
  expect(shortener.cut).toEqual([
    'responseStatus.message',
    'responseStatus.details.causes',
    'responseStatus.details.name',
  ]);
  const whole = { status: 'Failure' as const, message: 'no', code: 404, details: { name: 'web' } };
  expect(shortener.status(whole)).toBe(whole);
});

test('Annotations name what was cut, also of the events before', () => {
  const shortener = new Shortener(['requestURI']);
  shortener.note('sourceIPs');
  expect(shortener.annotations({ a: 'b', c: long })).toEqual({
    a: 'b',
    c: cutTo(16_384),
    'audit.orch.io/cut': 'requestURI, sourceIPs, annotations.c',
  });
});

test('Annotations are the same object where nothing was cut', () => {
  const annotations = { a: 'b' };
  expect(new Shortener().annotations(annotations)).toBe(annotations);
  expect(new Shortener().annotations(undefined)).toBeUndefined();
});
