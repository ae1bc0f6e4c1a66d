/**
 * `--debug-socket-path`: profiles and the verbosity of the log on a Unix socket, without authentication: the
 * permissions of the file decide who may ask. For a server whose authentication or authorization does not work.
 */
import { once } from 'node:events';
import { chmod, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import type { Router } from '@koa/router';
import Koa from 'koa';
import { describeFileError } from '../base/file-error.ts';
import { privateFileMode } from '../base/private-files.ts';
import { DebugSocketError } from './debug-socket-error.ts';
import { serveNotFound } from './koa/documents.ts';
import type { ServingState } from './koa/state.ts';

/** Replaces what is at the path. @returns what closes and removes the socket */
export async function openDebugSocket(
  socketPath: string,
  routers: readonly Router<ServingState>[],
): Promise<() => Promise<void>> {
  const app = new Koa<ServingState>();
  app.silent = true;
  app.use(async (ctx, next) => {
    const closed = new AbortController();
    ctx.res.once('close', () => closed.abort());
    // As the other applications do it: Koa makes an empty state for each context.
    ctx.state = { signal: closed.signal } as typeof ctx.state;
    await next();
  });
  for (const router of routers) app.use(router.routes());
  app.use(serveNotFound);
  const respond = app.callback();
  const server = createServer((request, response) => void respond(request, response));
  // It gets its permissions before anyone can find it, whatever the umask is.
  let directory = '';
  try {
    directory = await mkdtemp(`${socketPath}.`);
    const hidden = path.join(directory, 's');
    server.listen(hidden);
    await once(server, 'listening');
    await chmod(hidden, privateFileMode);
    await rename(hidden, socketPath);
  } catch (error) {
    server.close();
    throw new DebugSocketError(`cannot listen on the debug socket ${socketPath}: ${describeFileError(error)}`, {
      cause: error,
    });
  } finally {
    if (directory !== '') await rmdir(directory).catch(() => undefined);
  }
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    await rm(socketPath, { force: true });
  };
}
