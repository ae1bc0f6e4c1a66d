/** `/debug/flags/` and `/configz`: how much is logged, and what the daemon was configured with. */
import { Router } from '@koa/router';
import { goQuote } from '../../machinery/go-quote.ts';
import type { ServingState } from './state.ts';

export interface Verbosity {
  /** Of `-v`. */
  verbosity: number;
}

const maxBodyBytes = 1024;

/** `PUT /debug/flags/v`: how much is logged from now on. */
export function verbosityRoutes<State extends ServingState>(logger: Verbosity): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  router.all('/debug/flags/v', async (ctx) => {
    ctx.set('content-type', 'text/plain');
    if (ctx.method !== 'PUT') {
      ctx.status = 406;
      ctx.body = 'unsupported http method\n';
      return;
    }
    const value = await readText(ctx.req);
    const problem = problemOf(value);
    ctx.status = problem === undefined ? 200 : 400;
    ctx.body =
      problem === undefined
        ? `successfully set klog.logging.verbosity to ${value}\n`
        : `strconv.ParseUint: parsing ${goQuote(value)}: ${problem}\n`;
    if (problem === undefined) logger.verbosity = Number(value);
  });
  router.all('/debug/flags{/*path}', (ctx) => {
    ctx.set('content-type', 'text/html; charset=utf-8');
    ctx.body = flagIndex;
  });
  router.all('/debug/flags/', (ctx) => {
    ctx.set('content-type', 'text/html; charset=utf-8');
    ctx.body = flagIndex;
  });
  return router;
}

/** As Go judges a number without a sign of 32 bits. */
const problemOf = (value: string): string | undefined =>
  !/^\d+$/.test(value) ? 'invalid syntax' : Number(value) < 2 ** 32 ? undefined : 'value out of range';

const flagIndex = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>

<tr>v<br>

</table>
<br>
full flags configurable<br>
</body>
</html>
`;

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
