/**
 * `/logs/`: the files of `/var/log`, and with `enableSystemLogQuery` the logs of services by `?query=`. Nothing outside
 * of the folder is shown, wherever links in it lead.
 */
import { constants, open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { Router, type RouterContext } from '@koa/router';
import { send } from '../../../server/koa/send.ts';
import { notFoundPage } from '../../../server/not-found-page.ts';
import type { AgentState } from '../state.ts';
import { readNodeLogQuery } from './node-log-query.ts';
import { journal } from './journal.ts';

export interface FileRoutesOptions {
  /** `/var/log` */
  readonly folder: string;
  readonly hasQuery: boolean;
  /** In place of `journalctl`, for tests. */
  readonly journalProgram?: string;
}

type Context = RouterContext<AgentState>;

export function fileRoutes(options: FileRoutesOptions): Router<AgentState> {
  const router = new Router<AgentState>({ sensitive: true, strict: true });
  router.get('/logs', (ctx) => moveTo(ctx, '/logs/'));
  router.get(['/logs/', '/logs/*file'], async (ctx) => {
    const query = options.hasQuery ? readNodeLogQuery(new URLSearchParams(ctx.querystring)) : undefined;
    if (query === undefined) return serveFile(ctx, options.folder, decodeURIComponent(ctx.path.slice('/logs/'.length)));
    if (query.file !== undefined) return serveFile(ctx, options.folder, query.file);
    ctx.body = journal(query, ctx.state.signal, options.journalProgram);
    ctx.set('content-type', 'text/plain; charset=utf-8');
  });
  return router;
}

async function serveFile(ctx: Context, folder: string, asked: string): Promise<void> {
  const file = await insideOf(folder, asked);
  // A pipe would hold the reader up.
  const opened =
    file === undefined
      ? undefined
      : await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined || opened === undefined) return send(ctx, notFoundPage);
  const status = await opened.stat();
  if (status.isFile()) {
    ctx.body = opened.createReadStream({ highWaterMark: 64 * 1024 });
    ctx.set('content-type', 'text/plain; charset=utf-8');
    ctx.set('x-content-type-options', 'nosniff');
    return;
  }
  await opened.close();
  if (!status.isDirectory()) return send(ctx, notFoundPage);
  if (!ctx.path.endsWith('/')) return moveTo(ctx, `${path.posix.basename(ctx.path)}/`);
  ctx.set('content-type', 'text/html; charset=utf-8');
  ctx.body = await listing(file);
}

/**
 * Undefined for what is not there, or lies elsewhere.
 *
 * @NOTE differs from upstream, which follows links out of the folder.
 */
async function insideOf(folder: string, asked: string): Promise<string | undefined> {
  try {
    const root = await realpath(folder);
    const file = await realpath(path.join(root, asked));
    return file === root || file.startsWith(`${root}${path.sep}`) ? file : undefined;
  } catch {
    return undefined;
  }
}

async function listing(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const lines = entries
    .map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .sort()
    .map((name) => `<a href="${encodeURI(`./${name}`).slice(2)}">${escaped(name)}</a>\n`);
  return `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`;
}

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&#34;');

function moveTo(ctx: Context, location: string): void {
  ctx.status = 301;
  ctx.set('location', location);
  ctx.body = '';
}
