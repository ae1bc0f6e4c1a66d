import type { StartConfig } from './config.ts';
import { explainListenError } from './listen-errors.ts';
import { UserError } from './user-error.ts';
import { DebugSocketError } from '../server/debug-socket-error.ts';
import { SignerStartError } from '../apiserver/authn/service-accounts/account-keys.ts';
import { isStorageError } from '../storage/storage-error.ts';

/** What went wrong at the start, as one line that says what to do next. What is unknown here is passed on as it is. */
export function explainStartError(error: unknown, { serving, store }: Pick<StartConfig, 'serving' | 'store'>): unknown {
  const listening = explainListenError(error, serving);
  if (listening !== error) return listening;
  const cause = { cause: error };
  if (error instanceof DebugSocketError) return new UserError(`--debug-socket-path: ${error.message}`, cause);
  if (error instanceof SignerStartError) return new UserError(error.message, cause);
  if (!isStorageError(error)) return error;
  return new UserError(
    store.kind === 'embedded'
      ? `${error.message}: stop that process, or choose another directory with --data-dir`
      : `${error.message}: see --store-servers`,
    cause,
  );
}
