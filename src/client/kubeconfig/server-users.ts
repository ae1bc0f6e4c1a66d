/**
 * A kubeconfig whose users are named after servers: what admission webhooks are shown. The clusters in it do not count.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ | Dynamic
 *   Admission Control}, section "Authenticate API servers"
 */
import { type Clock, systemClock } from '../../base/clock.ts';
import { describeFileError } from '../../base/file-error.ts';
import type { ClientPair, TransportConfig } from '../transport-config.ts';
import { readClientPair } from './connection-fields.ts';
import { KubeconfigError, readPem, text } from './fields.ts';
import type { Entry, Kubeconfig } from './merge.ts';
import { authorizationOf, refusePrograms } from './webhook-kubeconfig.ts';

/** Both reject with {@link KubeconfigError} where the credentials cannot be used. */
export type ServerCredentials = Pick<TransportConfig, 'authorization' | 'renewedPair'>;

/**
 * In this order: `host:port`, `*.` and a part of it that begins after a dot, the longest first, both again without the
 * port if it is 443, `*`, and the user of the current context.
 *
 * @param server host and port
 */
export function userForServer({ users, contexts, currentContext }: Kubeconfig, server: string): Entry | undefined {
  const host = server.endsWith(':443') ? server.slice(0, -':443'.length).replace(/^\[(.*)\]$/, '$1') : undefined;
  const currentFields = currentContext === '' ? {} : (contexts.get(currentContext)?.fields ?? {});
  const names = [...namesFor(server), ...(host === undefined ? [] : namesFor(host)), '*'];
  const name = names.find((candidate) => users.has(candidate)) ?? text(currentFields, 'user');
  return name === '' ? undefined : users.get(name);
}

function namesFor(target: string): string[] {
  const labels = target.split('.');
  return [target, ...labels.slice(1).map((_, i) => `*.${labels.slice(i + 1).join('.')}`)];
}

/** Nothing is read before the first use, so that a file which is missing then may be there for the next. */
export function credentialsOfUser(user: Entry, clock: Clock = systemClock): ServerCredentials {
  const authorize = authorizationOf(user);
  return {
    async authorization() {
      refusePrograms(user);
      return authorize().catch(unreadable);
    },
    ...(has(user, 'client-certificate') && has(user, 'client-key') ? { renewedPair: pairReader(user, clock) } : {}),
  };
}

const has = ({ fields }: Entry, name: string): boolean =>
  text(fields, `${name}-data`) !== '' || text(fields, name) !== '';

/** The same object as long as it is the same pair. */
function pairReader(user: Entry, clock: Clock): () => Promise<ClientPair> {
  let known: Promise<() => Promise<ClientPair>> | undefined;
  const read = async (): Promise<() => Promise<ClientPair>> => {
    const { certificate = '', key = '', renewedPair } = await readClientPair(user, clock, readPem);
    const pair = { certificate, key };
    return renewedPair ?? (() => Promise.resolve(pair));
  };
  return async () => {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      return unreadable(error);
    });
    return (await known)();
  };
}

function unreadable(error: unknown): never {
  const { path: file, message } = error as NodeJS.ErrnoException;
  const why = file === undefined ? message : `open ${file}: ${describeFileError(error)}`;
  throw new KubeconfigError(why, { cause: error });
}
