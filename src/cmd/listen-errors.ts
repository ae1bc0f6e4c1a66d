import { UserError } from './user-error.ts';

/** Why a port cannot be opened, as one line that says what to do next. Any other error is passed on as it is. */
export function explainListenError(
  error: unknown,
  { address, port }: { readonly address: string; readonly port: number },
  portFlag = 'secure-port',
  addressFlag = 'bind-address',
): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const cause = { cause: error };
  if (code === 'EADDRINUSE')
    return new UserError(
      `port ${port} on ${address} is in use: stop the server there, or choose another port with --${portFlag}`,
      cause,
    );
  if (code === 'EADDRNOTAVAIL')
    return new UserError(`${address} is no address of this machine: choose another with --${addressFlag}`, cause);
  if (code === 'EACCES' && syscall === 'listen')
    return new UserError(`port ${port} needs more rights: choose one above 1023 with --${portFlag}`, cause);
  return error;
}
