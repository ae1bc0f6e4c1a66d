import type { StartConfig } from './config.ts';
import { UserError } from './user-error.ts';
import { SignerStartError } from '../apiserver/authn/service-accounts/account-keys.ts';
import { isStorageError } from '../storage/storage-error.ts';

/** What went wrong at the start, as one line that says what to do next. What is unknown here is passed on as it is. */
export function explainStartError(error: unknown, { serving, store }: Pick<StartConfig, 'serving' | 'store'>): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const cause = { cause: error };
  if (code === 'EADDRINUSE')
    return new UserError(
      `port ${serving.port} on ${serving.address} is in use: stop the server there, or choose another port ` +
        'with --secure-port',
      cause,
    );
  if (code === 'EADDRNOTAVAIL')
    return new UserError(`${serving.address} is no address of this machine: choose another with --bind-address`, cause);
  if (code === 'EACCES' && (error as NodeJS.ErrnoException).syscall === 'listen')
    return new UserError(`port ${serving.port} needs more rights: choose one above 1023 with --secure-port`, cause);
  if (error instanceof SignerStartError) return new UserError(error.message, cause);
  if (!isStorageError(error)) return error;
  return new UserError(
    store.kind === 'embedded'
      ? `${error.message}: stop that process, or choose another directory with --data-dir`
      : `${error.message}: see --store-servers`,
    cause,
  );
}
