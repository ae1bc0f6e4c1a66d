/** `--profiling`: profiles of the process. The paths are those of Go's net/http/pprof. */
import { Router, type RouterContext } from '@koa/router';
import { ContentionProfile } from '../profiling/contention-profile.ts';
import { encodeProfile, type Profile } from '../profiling/pprof.ts';
import { formatProfile } from '../profiling/profile-text.ts';
import { allocationProfile, cpuProfile, eventTrace, heapProfile, ProfilingInUse } from '../profiling/profiler.ts';
import { threadProfile } from '../profiling/threads.ts';
import { waitingWork } from '../profiling/waiting-work.ts';
import type { ServingState } from './state.ts';

const maxSeconds = 300;
const text = 'text/plain; charset=utf-8';

type Make<T> = (durationMs: number, signal: AbortSignal) => Promise<T>;

interface ProfileKind {
  readonly about: string;
  /** 0: what is known at once. */
  readonly defaultSeconds: number;
  readonly make: Make<Profile>;
  /** Go writes profiles of the CPU as bytes in any case. */
  readonly hasText?: false;
}

const kindsOf = (contention: ContentionProfile): Readonly<Record<string, ProfileKind>> => ({
  allocs: {
    about: 'What is allocated during ?seconds=10, in use at their end or not, by where it was allocated.',
    defaultSeconds: 10,
    make: allocationProfile,
  },
  block: {
    about:
      'What has held the event loop for 50 ms or longer, with --contention-profiling; ?seconds= for a time to come.',
    defaultSeconds: 0,
    make: (durationMs, signal) => contention.profile(durationMs, signal),
  },
  goroutine: {
    about:
      'The resources that the event loop waits for; with ?seconds=1 also the work that begins in this time and does ' +
      'not end.',
    defaultSeconds: 0,
    make: waitingWork,
  },
  heap: {
    about: 'What is allocated during ?seconds=10 and still in use at their end, by where it was allocated.',
    defaultSeconds: 10,
    make: heapProfile,
  },
  mutex: {
    about: 'The same as block: all work waits for the one event loop.',
    defaultSeconds: 0,
    make: (durationMs, signal) => contention.profile(durationMs, signal),
  },
  profile: {
    about: 'Which functions the CPU is in during ?seconds=30.',
    defaultSeconds: 30,
    make: cpuProfile,
    hasText: false,
  },
  threadcreate: { about: 'The threads of the process by name.', defaultSeconds: 0, make: () => threadProfile() },
});

/** `/debug/pprof/` @param contention what is noted of stalls; nothing is where it is absent */
export function profileRoutes<State extends ServingState>(contention = new ContentionProfile()): Router<State> {
  const kinds = kindsOf(contention);
  const router = new Router<State>({ sensitive: true, strict: true });
  router.all('/debug/pprof', (ctx) => {
    ctx.status = 301;
    ctx.set('location', '/debug/pprof/');
  });
  router.all('/debug/pprof/', (ctx) => {
    ctx.set('content-type', 'text/html; charset=utf-8');
    ctx.body = indexOf(kinds);
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
  router.all('/debug/pprof/trace', (ctx) =>
    serve(ctx, { name: 'trace', defaultSeconds: 1 }, async (durationMs, signal) => ({
      type: 'application/json',
      body: await eventTrace(durationMs, signal),
    })),
  );
  router.all('/debug/pprof/:kind', (ctx) => {
    const { kind: name = '' } = ctx.params;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) return refuse(ctx, 404, 'Unknown profile');
    const asText = kind.hasText !== false && Number(queryOf(ctx).get('debug') ?? 0) > 0;
    return serve(ctx, { ...kind, name }, async (durationMs, signal) => {
      const profile = await kind.make(durationMs, signal);
      return asText
        ? { type: text, body: formatProfile(name, profile) }
        : { type: 'application/octet-stream', body: await encodeProfile(profile) };
    });
  });
  return router;
}

interface Served {
  readonly type: string;
  readonly body: string | Buffer;
}

const queryOf = (ctx: { readonly querystring: string }): URLSearchParams => new URLSearchParams(ctx.querystring);

async function serve<State extends ServingState>(
  ctx: RouterContext<State>,
  { name, defaultSeconds }: { readonly name: string; readonly defaultSeconds: number },
  make: Make<Served>,
): Promise<void> {
  const asked = queryOf(ctx).get('seconds');
  const seconds = asked === null ? defaultSeconds : Number(asked);
  if (!(seconds >= 0 && seconds <= maxSeconds) || (seconds === 0 && asked !== null && defaultSeconds > 0))
    return refuse(ctx, 400, `seconds must be greater than 0 and at most ${maxSeconds}`);
  try {
    const { type, body } = await make(seconds * 1000, ctx.state.signal);
    ctx.set('x-content-type-options', 'nosniff');
    ctx.set('content-type', type);
    if (Buffer.isBuffer(body)) ctx.set('content-disposition', `attachment; filename="${name}"`);
    ctx.body = body;
  } catch (error) {
    if (!(error instanceof ProfilingInUse)) throw error;
    refuse(ctx, 500, `Could not enable profiling: ${error.message}`);
  }
}

function refuse<State extends ServingState>(ctx: RouterContext<State>, status: number, message: string): void {
  ctx.status = status;
  ctx.set('content-type', text);
  ctx.set('x-content-type-options', 'nosniff');
  ctx.body = `${message}\n`;
}

const indexOf = (kinds: Readonly<Record<string, ProfileKind>>): string => `<html>
<head><title>/debug/pprof/</title></head>
<body>
<p>Profiles of this process, for <code>go tool pprof</code>; with <code>?debug=1</code> as text:</p>
<ul>
${Object.entries(kinds)
  .map(([kind, { about }]) => `<li><a href="${kind}?debug=1">${kind}</a>: ${about}</li>\n`)
  .join('')}<li><a href="cmdline">cmdline</a>: The command line, with zero bytes between the arguments.</li>
<li><a href="trace">trace</a>: What the runtime did during ?seconds=1, in the trace event format of Perfetto.</li>
</ul>
</body>
</html>
`;
