/**
 * Impersonation: a client with the rights names a user, groups and more in headers, and is that user from then on. Each
 * of these needs its own right.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation | User
 *   impersonation}
 */
import { TruncatedText } from '../../machinery/truncated-text.ts';
import { CooperativeScheduler } from '../../machinery/cooperative-scheduling.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { anonymousUser, groups as systemGroups } from '../../auth/authentication/authenticator.ts';
import { collected, extraKey } from '../../auth/authentication/request-header.ts';
import { groupsOf, splitUserName } from '../../auth/service-accounts/claims.ts';
import type { AuthorizationAttributes, Authorizer } from '../../auth/authorization/authorizer.ts';
import { forbiddenRequest } from '../../auth/authorization/forbidden.ts';
import type { ApiResponse, Exchange } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';

/** One user, group, uid or extra value that the client wants to have. */
interface Wish {
  readonly kind: 'ServiceAccount' | 'User' | 'Group' | 'UserExtra' | 'UID';
  readonly name: string;
  readonly namespace?: string;
  /** Of `UserExtra`. */
  readonly key?: string;
}

const prefix = 'impersonate-';
const header = {
  user: 'impersonate-user',
  group: 'impersonate-group',
  uid: 'impersonate-uid',
  extraPrefix: 'impersonate-extra-',
} as const;

export function impersonate(authorizer: Authorizer): Filter {
  return async (request, next) => {
    if (!request.exchange.headerNames().some((name) => name.startsWith(prefix))) return next();
    const wishes = wishesOf(request.exchange);
    if (wishes.length === 0) return next();
    const [first] = wishes;
    if (first!.kind !== 'User' && first!.kind !== 'ServiceAccount') return withoutUser(request, wishes);
    await mustAllBeAllowed(authorizer, request.user, wishes);
    request.user = userOf(wishes);
    return next();
  };
}

/** The user first. */
function wishesOf(exchange: Exchange): Wish[] {
  const first = (name: string): string => exchange.headerValues(name)[0] ?? '';
  const name = first(header.user);
  const account = splitUserName(name);
  const user: Wish[] =
    name === '' ? [] : [account === undefined ? { kind: 'User', name } : { kind: 'ServiceAccount', ...account }];
  const groups = exchange.headerValues(header.group).map((group): Wish => ({ kind: 'Group', name: group }));
  const extras = exchange
    .headerNames()
    .filter((other) => other.startsWith(header.extraPrefix))
    .flatMap((other) => {
      const key = extraKey(other.slice(header.extraPrefix.length));
      return exchange.headerValues(other).map((value): Wish => ({ kind: 'UserExtra', name: value, key }));
    });
  const uid = first(header.uid);
  return [...user, ...groups, ...extras, ...(uid === '' ? [] : [{ kind: 'UID', name: uid } as const])];
}

const resources: Readonly<
  Record<Wish['kind'], { readonly group: string; readonly version: string; readonly resource: string }>
> = {
  User: { group: '', version: '', resource: 'users' },
  ServiceAccount: { group: '', version: '', resource: 'serviceaccounts' },
  Group: { group: '', version: '', resource: 'groups' },
  UserExtra: { group: 'authentication.k8s.io', version: 'v1', resource: 'userextras' },
  UID: { group: 'authentication.k8s.io', version: 'v1', resource: 'uids' },
};

const attributesOf = (user: UserInfo, { kind, name, namespace = '', key = '' }: Wish): AuthorizationAttributes => ({
  user,
  verb: 'impersonate',
  ...resources[kind],
  namespace,
  subresource: key,
  name,
  path: '',
  isResourceRequest: true,
});

/** A request has space for tens of thousands of wishes. */
async function mustAllBeAllowed(authorizer: Authorizer, user: UserInfo, wishes: readonly Wish[]): Promise<void> {
  const scheduler = new CooperativeScheduler();
  for (const wish of withoutRepetitions(wishes)) {
    await mustBeAllowed(authorizer, attributesOf(user, wish));
    await scheduler.next();
  }
}

function* withoutRepetitions(wishes: readonly Wish[]): Generator<Wish> {
  const seen = new Map<string, Set<string>>();
  for (const wish of wishes) {
    const kind = wish.kind + (wish.key ?? '');
    const names = seen.get(kind) ?? new Set();
    seen.set(kind, names);
    if (names.has(wish.name)) continue;
    names.add(wish.name);
    yield wish;
  }
}

async function mustBeAllowed(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<void> {
  const { decision, reason } = await authorizer.authorize(attributes);
  if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
}

/** system:anonymous has group system:unauthenticated; every other user has system:authenticated. */
function userOf(wishes: readonly Wish[]): UserInfo {
  const [{ kind, name, namespace = '' }] = wishes as [Wish];
  const isAccount = kind === 'ServiceAccount';
  const userName = isAccount ? `system:serviceaccount:${namespace}:${name}` : name;
  const named = wishes.filter((wish) => wish.kind === 'Group').map((wish) => wish.name);
  const groups = named.length === 0 && isAccount ? groupsOf(namespace) : named;
  const uid = wishes.find((wish) => wish.kind === 'UID')?.name;
  const extra = collected(wishes.filter((wish) => wish.kind === 'UserExtra').map((wish) => [wish.key!, wish.name]));
  return {
    name: userName,
    groups: [...groups, ...impliedGroups(userName, groups)],
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function impliedGroups(user: string, named: readonly string[]): string[] {
  const { authenticated, unauthenticated } = systemGroups;
  if (user === anonymousUser) return named.includes(unauthenticated) ? [] : [unauthenticated];
  return named.includes(authenticated) || named.includes(unauthenticated) ? [] : [authenticated];
}

/** As the reference shows it: here as references to objects, in plain text. */
function withoutUser({ exchange }: ApiRequest, wishes: readonly Wish[]): ApiResponse {
  const shown = new TruncatedText();
  shown.addAll(wishes, ' ', ({ kind, name, key = '' }) =>
    shown.add(
      `{${kind}  ${name} ` +
        ` ${resources[kind].group === '' ? '' : `${resources[kind].group}/${resources[kind].version}`}  ${key}}`,
    ),
  );
  return {
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body:
      `Internal Server Error: ${JSON.stringify(exchange.target)}: requested [${shown}] without ` +
      `impersonating a user\n`,
  };
}
