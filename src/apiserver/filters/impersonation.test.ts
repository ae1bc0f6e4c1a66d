import { expect, test } from 'vitest';
import type { AuthorizationAttributes, Authorizer } from '../../auth/authorization/authorizer.ts';
import { type Exchange } from '../../server/exchange.ts';
import { ApiRequest } from '../request/request.ts';
import { impersonate } from './impersonation.ts';
import { joined } from '../../../test/support/patterns.ts';

const count = 40_000;

/** @param headers names in lower case, with all their values */
function requestWith(headers: Readonly<Record<string, readonly string[]>>): ApiRequest {
  const exchange = {
    method: 'GET',
    target: '/',
    headerNames: () => Object.keys(headers),
    headerValues: (name: string) => headers[name] ?? [],
  } as unknown as Exchange;
  const request = new ApiRequest(exchange, '/', new URLSearchParams(), '1', 0);
  request.user = { name: 'admin', groups: [] };
  return request;
}

const numbers = (make: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => make(i));

test.each<{ name: string; headers: Record<string, readonly string[]>; asked: number; extra: Record<string, number> }>([
  { name: 'of one key', headers: { 'impersonate-extra-a': numbers(String) }, asked: count, extra: { a: count } },
  {
    name: 'of one key and value',
    headers: { 'impersonate-extra-a': numbers(() => 'x') },
    asked: 1,
    extra: { a: count },
  },
  {
    name: 'of many spellings of one key',
    headers: Object.fromEntries(numbers((i) => `impersonate-extra-${spelled(i)}`).map((name) => [name, ['x']])),
    asked: 1,
    extra: { ['aaaaaaaaaaaaaaaa']: count },
  },
  {
    name: 'of as many keys',
    headers: Object.fromEntries(numbers((i) => `impersonate-extra-a${i}`).map((name) => [name, ['x']])),
    asked: count,
    extra: {},
  },
])(
  'Forty thousand values $name are gathered one by one, and each right is asked for once',
  async ({ headers, asked, extra }) => {
    const seen: AuthorizationAttributes[] = [];
    const authorizer = {
      authorize: (attributes: AuthorizationAttributes) => (seen.push(attributes), { decision: 'allow', reason: '' }),
    } as unknown as Authorizer;
    const request = requestWith({ 'impersonate-user': ['jane'], ...headers });
    await impersonate(authorizer)(request, () => Promise.resolve({ status: 200, headers: {} }));
    expect(seen.filter(({ resource }) => resource === 'userextras')).toHaveLength(asked);
    expect(Object.values(request.user.extra!).flat()).toHaveLength(count);
    for (const [key, values] of Object.entries(extra)) expect(request.user.extra![key]).toHaveLength(values);
  },
);

/** Sixteen letters, each as itself or percent-encoded. */
function spelled(i: number): string {
  return Array.from({ length: 16 }, (_, bit) => ((i >> bit) & 1 ? '%61' : 'a')).join('');
}

test('A request without a user is refused with as many of its wishes as an error shows', async () => {
  const request = requestWith({ 'impersonate-group': numbers((i) => `group-${i}`) });
  const answer = await impersonate({} as Authorizer)(request, () => Promise.reject(new Error('not reached')));
  expect(answer.status).toBe(500);
  const { body } = answer as { body: string };
  expect(body).toMatch(
    joined(
      /^Internal Server Error: "\/": requested \[\{Group {2}group-0 {4}\} [^]*\.\.\. \(cut\)\] without /,
      /impersonating a user\n$/,
    ),
  );
  expect(body.length).toBeLessThan(10_000);
});
