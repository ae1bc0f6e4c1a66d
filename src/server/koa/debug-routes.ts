/** `--profiling`: profiles of the process, and the verbosity of its log. The paths are Go's and upstream's. */
import { Router, type RouterContext } from '@koa/router';
import { cpuProfile, heapProfile, ProfilingInUse } from '../profiling/profiler.ts';
import type { ServingState } from './state.ts';

const maxSeconds = 300;
const text = 'text/plain; charset=utf-8';

interface ProfileKind {
  readonly about: string;
  readonly defaultSeconds: number;
  readonly make: (durationMs: number, signal: AbortSignal) => Promise<Buffer>;
}

const kinds: Readonly<Record<string, ProfileKind>> = {
  heap: {
    about: 'What is allocated during ?seconds=10 and still in use at their end, by where it was allocated.',
    defaultSeconds: 10,
    make: heapProfile,
  },
  profile: {
    about: 'Which functions the CPU is in during ?seconds=30.',
    defaultSeconds: 30,
    make: cpuProfile,
  },
};

/** `/debug/pprof/` */
export function profileRoutes<State extends ServingState>(): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  router.all('/debug/pprof', (ctx) => {
    ctx.status = 301;
    ctx.set('location', '/debug/pprof/');
  });
  router.all('/debug/pprof/', (ctx) => {
    ctx.set('content-type', 'text/html; charset=utf-8');
    ctx.body = index;
  });
  router.all('/debug/pprof/cmdline', (ctx) => {
    ctx.set('content-type', text);
    ctx.body = process.argv.join('\0');
  });
  // Functions have their names in the profile already.
  router.all('/debug/pprof/symbol', (ctx) => {
    ctx.set('content-type', text);
    ctx.body = 'num_symbols: 0\n';
  });
  router.all('/debug/pprof/:kind', serveProfile);
  return router;
}

async function serveProfile<State extends ServingState>(ctx: RouterContext<State>): Promise<void> {
  const { kind } = ctx.params;
  const found = Object.hasOwn(kinds, kind!) ? kinds[kind!]! : undefined;
  ctx.set('content-type', text);
  ctx.set('x-content-type-options', 'nosniff');
  if (found === undefined) {
    ctx.status = 404;
    ctx.body = 'Unknown profile\n';
    return;
  }
  const asked = new URLSearchParams(ctx.querystring).get('seconds');
  const seconds = asked === null ? found.defaultSeconds : Number(asked);
  if (!(seconds > 0 && seconds <= maxSeconds)) {
    ctx.status = 400;
    ctx.body = `seconds must be greater than 0 and at most ${maxSeconds}\n`;
    return;
  }
  try {
    const profile = await found.make(seconds * 1000, ctx.state.signal);
    ctx.set('content-type', 'application/octet-stream');
    ctx.set('content-disposition', `attachment; filename="${kind}"`);
    ctx.body = profile;
  } catch (error) {
    if (!(error instanceof ProfilingInUse)) throw error;
    ctx.status = 500;
    ctx.body = `Could not enable profiling: ${error.message}\n`;
  }
}

const index = `<html>
<head><title>/debug/pprof/</title></head>
<body>
<p>Profiles of this process, for <code>go tool pprof</code>:</p>
<ul>
${Object.entries(kinds)
  .map(([kind, { about }]) => `<li><a href="${kind}">${kind}</a>: ${about}</li>\n`)
  .join('')}<li><a href="cmdline">cmdline</a>: The command line, with zero bytes between the arguments.</li>
</ul>
</body>
</html>
`;

export interface Verbosity {
  /** Of `-v`. */
  verbosity: number;
}

const maxBodyBytes = 1024;

/** `PUT /debug/flags/v`: how much is logged from now on. */
export function verbosityRoutes<State extends ServingState>(logger: Verbosity): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  router.all('/debug/flags/v', async (ctx) => {
    ctx.set('content-type', text);
    if (ctx.method !== 'PUT') {
      ctx.status = 406;
      ctx.body = 'unrecognized http method\n';
      return;
    }
    const value = (await readText(ctx.req)).trim();
    if (!/^\d{1,9}$/.test(value)) {
      ctx.status = 400;
      ctx.body = `error: failed to set log level ${JSON.stringify(value)}: it must be a number\n`;
      return;
    }
    logger.verbosity = Number(value);
    ctx.status = 200;
    ctx.body = `successfully set log level to ${value}\n`;
  });
  return router;
}

/** What is longer is no number, and not read. */
async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  let read = '';
  for await (const chunk of body) {
    read += chunk.toString('latin1');
    if (read.length > maxBodyBytes) return read;
  }
  return read;
}

/** `/configz`: what the daemon was configured with. It must not contain secrets. */
export function configRoutes<State extends ServingState>(name: string, config: unknown): Router<State> {
  const router = new Router<State>({ sensitive: true });
  router.all('/configz', (ctx) => {
    ctx.set('content-type', 'application/json');
    ctx.body = JSON.stringify({ [name]: config });
  });
  return router;
}
