/**
 * `/statusz` and `/flagz`: what a daemon is and how it was started, for people (KEP-4827, KEP-4828). Programs should
 * not read them: upstream writes another sign between names and values at each start.
 */
import { Router } from '@koa/router';
import type { VersionInfo } from '../../base/version.ts';
import type { ServingState } from './state.ts';

export interface FlagValue {
  readonly name: string;
  readonly value: string;
}

export interface ZpagesOptions {
  /** `kube-apiserver` */
  readonly component: string;
  readonly version: VersionInfo;
  /** The minor version that the daemon behaves like: `1.32`. */
  readonly emulatedVersion: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly statusz: boolean;
  readonly flagz: boolean;
  /** All of them, with the values that are in force. */
  readonly flags: () => readonly FlagValue[];
}

const text = 'text/plain; charset=utf-8';

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is ' +
  'for debugging purposes only.';

/** The paths that are there. */
export const zpagePaths = ({ statusz, flagz }: Pick<ZpagesOptions, 'statusz' | 'flagz'>): string[] => [
  ...(flagz ? ['/flagz'] : []),
  ...(statusz ? ['/statusz'] : []),
];

export function zpageRoutes<State extends ServingState>(options: ZpagesOptions): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  const pages: Readonly<Record<string, () => string>> = {
    '/flagz': () => flagLines(options),
    '/statusz': () => statusLines(options, Date.now()),
  };
  for (const path of zpagePaths(options))
    router.all(path, (ctx) => {
      ctx.set('content-type', text);
      if (!takesText(ctx.get('accept'))) {
        ctx.status = 406;
        ctx.body = 'media type not acceptable, must be: text/plain\n';
        return;
      }
      ctx.body = `\n${options.component} ${path.slice(1)}\n${warning}\n\n${pages[path]!()}`;
    });
  return router;
}

/** Whether a client says that it takes plain text, by name or by a star: one that says nothing is refused. */
const takesText = (accept: string): boolean =>
  accept
    .toLowerCase()
    .split(',')
    .some((clause) => {
      const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
      const others = parameters.filter((parameter) => !/^q\s*=/.test(parameter));
      return textTypes.has(type) && others.length <= 1 && others.every((other) => /^charset\s*=\s*utf-8$/.test(other));
    });

const textTypes: ReadonlySet<string> = new Set(['text/plain', 'text/*', '*/*', '*/plain']);

const flagLines = ({ flags }: ZpagesOptions): string =>
  flags()
    .map(({ name, value }) => `${name}=${value}\n`)
    .sort()
    .join('');

function statusLines({ version, emulatedVersion, startedAt }: ZpagesOptions, now: number): string {
  const lines = {
    Started: new Date(startedAt).toUTCString(),
    Up: uptime(now - startedAt),
    'Go version': version.goVersion,
    'Binary version': version.gitVersion.replace(/^v/, '').replace(/\+.*$/, ''),
    'Emulation version': emulatedVersion,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

function uptime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (count: number): string => String(count).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
