/**
 * A kubeconfig whose users are named after servers: what admission webhooks are shown. The clusters in it do not count.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ | Dynamic
 *   Admission Control}, section "Authenticate API servers"
 */
import { systemClock } from '../../base/clock.ts';
import { describeFileError } from '../../base/file-error.ts';
import type { ExecObserver } from '../exec-observer.ts';
import type { TransportConfig } from '../transport-config.ts';
import { type Following, readClientPair } from './connection-fields.ts';
import { type Fields, KubeconfigError, readPem, text } from './fields.ts';
import { impersonationOf } from './impersonation.ts';
import type { Entry, Kubeconfig } from './merge.ts';
import { type ShownCredentials, shownCredentials } from './webhook-kubeconfig.ts';

/** The functions reject with {@link KubeconfigError} where the credentials cannot be used. */
export type ServerCredentials = ShownCredentials & Pick<TransportConfig, 'impersonate'>;

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

/**
 * Nothing is read or run before the first use, so that a file which is missing then may be there for the next.
 * @param cluster what an exec plugin may be told
 */
export function credentialsOfUser(
  user: Entry,
  cluster: Fields,
  { clock = systemClock, reports }: Partial<Following> = {},
): ServerCredentials {
  let known: ShownCredentials | undefined;
  let observer: ExecObserver | undefined;
  const shown = (): ShownCredentials => {
    if (known === undefined) {
      known = shownCredentials(user, cluster, reports);
      if (observer !== undefined) known.observePlugin?.(observer);
    }
    return known;
  };
  const impersonate = text(user.fields, 'as') === '' ? undefined : impersonationOf(user.fields, '');
  const ownPair =
    has(user, 'client-certificate') && has(user, 'client-key') ? pairReader(user, { clock, reports }) : undefined;
  return {
    authorization: async () => shown().authorization().catch(unreadable),
    ...(user.fields['exec'] === undefined
      ? {}
      : {
          observePlugin: (given) => void (observer = given),
          renewedPair: async () => shown().renewedPair!(),
          onUnauthorized: async (authorization) => shown().onUnauthorized!(authorization),
        }),
    ...(ownPair === undefined ? {} : { renewedPair: ownPair }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

const has = ({ fields }: Entry, name: string): boolean =>
  text(fields, `${name}-data`) !== '' || text(fields, name) !== '';

type PairReader = Required<ServerCredentials>['renewedPair'];

/** The same object as long as it is the same pair. */
function pairReader(user: Entry, following: Following): PairReader {
  let known: Promise<PairReader> | undefined;
  const read = async (): Promise<PairReader> => {
    const { certificate = '', key = '', renewedPair } = await readClientPair(user, following, readPem);
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
  const { path: file } = error as NodeJS.ErrnoException;
  if (file === undefined) throw error;
  throw new KubeconfigError(`open ${file}: ${describeFileError(error)}`, { cause: error });
}
