import { createHash, timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../../machinery/user.ts';
import { allAuthenticated, type Authenticator } from '../filters/authentication.ts';
import type { ApiRequest } from '../request.ts';

/** The token of an `Authorization: Bearer` header (RFC 6750 section 2.1), or undefined when there is none. */
export function bearerToken(request: ApiRequest): string | undefined {
  const header = request.header('authorization')?.trim();
  if (header === undefined || header === '') return undefined;
  const space = header.indexOf(' ');
  if (space < 0 || header.slice(0, space).toLowerCase() !== 'bearer') return undefined;
  const token = header.slice(space + 1).trimStart();
  return token === '' ? undefined : token;
}

/**
 * `--token-auth-file`: lines of `token,user,uid[,"group1,group2"]`.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file | Static token file}
 */
export function tokenFile(content: string): Authenticator {
  const users = new Map<string, { token: Buffer; user: UserInfo }>();
  for (const { token, user } of parseTokenFile(content)) users.set(digest(token), { token: Buffer.from(token), user });
  // Found by digest and compared in constant time: how long it takes says nothing about the token.
  const find = (token: string): UserInfo | undefined => {
    const found = users.get(digest(token));
    return found !== undefined && sameBytes(found.token, Buffer.from(token)) ? found.user : undefined;
  };
  return {
    name: 'token-file',
    authenticate(request) {
      const token = bearerToken(request);
      if (token === undefined) return undefined;
      const user = find(token);
      if (user === undefined) throw new Error('unknown token');
      return user;
    },
    authenticateToken: find,
  };
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

const sameBytes = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

export function parseTokenFile(content: string): { token: string; user: UserInfo }[] {
  const records: { token: string; user: UserInfo }[] = [];
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [token = '', name = '', uid = '', groups = ''] = parseCsvLine(line);
    if (token === '') continue;
    if (name === '') throw new Error(`token file: line ${index + 1} needs at least 3 columns (token, user name, user uid)`);
    const named = groups.split(',').map((group) => group.trim()).filter((group) => group !== '');
    records.push({ token, user: { name, ...(uid === '' ? {} : { uid }), groups: [...named, allAuthenticated] } });
  }
  return records;
}

/** One line of RFC 4180: commas, quotes, doubled quotes inside quotes. */
function parseCsvLine(line: string): string[] {
  const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
  return fields.map(([, quoted, bare]) => (quoted === undefined ? (bare ?? '').trim() : quoted.replaceAll('""', '"')));
}
