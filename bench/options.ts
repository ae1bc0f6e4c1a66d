/** The command line of the load driver. */
import { parseArgs } from 'node:util';
import type { ContentType } from './content.ts';
import type { LoadSizes } from './load.ts';
import { type AuditLevel, auditLevels, type ServerAddress } from './server-address.ts';
import { UsageError } from './usage-error.ts';

export interface Options {
  /** Absent: one of our own is started. */
  readonly server: ServerAddress | undefined;
  readonly peer: ServerAddress | undefined;
  /** The peer is another server of ours, which records nothing. */
  readonly plainPeer: boolean;
  readonly storeServers: string | undefined;
  /** Level at which the server that is started records requests; undefined: not at all. */
  readonly auditLevel: AuditLevel | undefined;
  readonly contentType: ContentType;
  readonly gzip: boolean;
  readonly sessions: number;
  readonly sizes: LoadSizes;
  /** Undefined: all. */
  readonly phases: readonly string[] | undefined;
  /** How often all phases are run. */
  readonly rounds: number;
  readonly jsonFile: string | undefined;
}

export const help = `Usage: npm run bench -- [options]

Puts the same load on an API server, phase by phase, and prints for each phase operations per second, latency, and the
server's own CPU time per operation and memory. With --peer the same load goes to a second server, the two taking turns
in each phase, and ratios are printed.

Without --server, an 'orch apiserver' of this checkout is started in a temporary directory on a free loopback port,
built if need be, and stopped at the end.

Servers
  --store-servers URLS    etcd for the server that is started; the embedded store by default. Its keys go under a
                          prefix of their own, which is removed at the end
  --audit LEVEL           record all requests of the server that is started at Metadata, Request or RequestResponse,
                          into a file in its temporary directory, in mode batch
  --server URL            put load on this server instead of starting one (https)
  --token TOKEN           its bearer token
  --pid PID[,PID]         its processes, for CPU time and memory (Linux, same machine)
  --ca FILE               certificates to trust; without, servers on loopback are not verified, others as usual
  --peer URL              a second server, with --peer-token, --peer-pid and --peer-ca
  --peer plain            start a second server like the first, but without --audit

Load
  --objects N             pods of about 2.5 kB (2000)
  --gets N                operations of the phase 'get' (10000)
  --lists N               operations of the phase 'list-all'; the other lists are five times as many (20)
  --concurrency N         callers at once (16); lists have 2 and 4
  --watchers N            open watches in the phase 'watch' (200)
  --events N              events in the phase 'watch', each for every watcher (500)
  --rounds N              run all phases so often (1); in the first one a server may be compiling and filling caches
  --phases LIST           of: get, list-all, list-500, list-label, update, patch, watch; create and delete always run
  --content-type TYPE     protobuf or json (protobuf)
  --sessions N            HTTP/2 connections (1); more are opened when a server allows no further streams
  --no-gzip               do not ask for compressed answers, as most clients do

Output
  --json FILE             the results for programs
  --help

Objects live in a namespace of their own and are deleted at the end. Exits with 1 when an operation failed.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const known = {
  'store-servers': text,
  audit: text,
  server: text,
  token: text,
  pid: text,
  ca: text,
  peer: text,
  'peer-token': text,
  'peer-pid': text,
  'peer-ca': text,
  objects: text,
  gets: text,
  lists: text,
  concurrency: text,
  watchers: text,
  events: text,
  phases: text,
  rounds: text,
  'content-type': text,
  sessions: text,
  'no-gzip': flag,
  json: text,
  help: flag,
} as const;

type Values = ReturnType<typeof parse>;
type TextName = { [K in keyof typeof known]: (typeof known)[K] extends typeof text ? K : never }[keyof typeof known];

/** Undefined when the user asked for help. Throws {@link UsageError}. */
export function readOptions(argv: readonly string[]): Options | undefined {
  const values = parse(argv);
  if (values.help === true) return undefined;
  const server = readAddress(values, 'server', ['token', 'pid', 'ca']);
  const plainPeer = values.peer === 'plain';
  if (plainPeer && server !== undefined)
    throw new UsageError('--peer plain is for the server that is started, not for one that runs already (--server)');
  if (server !== undefined && values['store-servers'] !== undefined)
    throw new UsageError('--store-servers is for the server that is started, not for one that runs already (--server)');
  return {
    server,
    peer: plainPeer ? undefined : readAddress(values, 'peer', ['peer-token', 'peer-pid', 'peer-ca']),
    plainPeer,
    storeServers: values['store-servers'],
    auditLevel: readAuditLevel(values.audit, server),
    contentType: readContentType(values['content-type']),
    gzip: values['no-gzip'] !== true,
    sessions: readCount(values, 'sessions', 1),
    sizes: {
      objects: readCount(values, 'objects', 2_000),
      gets: readCount(values, 'gets', 10_000),
      lists: readCount(values, 'lists', 20),
      concurrency: readCount(values, 'concurrency', 16),
      watchers: readCount(values, 'watchers', 200),
      events: readCount(values, 'events', 500),
    },
    phases: values.phases?.split(',').map((name) => name.trim()),
    rounds: readCount(values, 'rounds', 1),
    jsonFile: values.json,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: known, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readAddress(
  values: Values,
  name: TextName,
  [token, pid, ca]: readonly [TextName, TextName, TextName],
): ServerAddress | undefined {
  const given = values[name];
  if (given === undefined) {
    const alone = [token, pid, ca].find((other) => values[other] !== undefined);
    if (alone !== undefined) throw new UsageError(`--${alone} needs --${name}`);
    return undefined;
  }
  if (!URL.canParse(given) || new URL(given).protocol !== 'https:')
    throw new UsageError(`--${name} wants a URL that begins with https://, not ${JSON.stringify(given)}`);
  return { url: new URL(given), token: values[token], pids: readPids(values, pid), caFile: values[ca] };
}

function readPids(values: Values, name: TextName): number[] {
  return (values[name]?.split(',') ?? []).map((pid) => {
    if (!/^[1-9]\d*$/.test(pid)) throw new UsageError(`--${name} wants process ids, not ${JSON.stringify(pid)}`);
    return Number(pid);
  });
}

function readCount(values: Values, name: TextName, fallback: number): number {
  const given = values[name];
  if (given === undefined) return fallback;
  if (!/^[1-9]\d{0,6}$/.test(given))
    throw new UsageError(`--${name} wants a number from 1 to 9999999, not ${JSON.stringify(given)}`);
  return Number(given);
}

function readAuditLevel(given: string | undefined, server: ServerAddress | undefined): AuditLevel | undefined {
  if (given === undefined) return undefined;
  if (server !== undefined)
    throw new UsageError('--audit is for the server that is started, not for one that runs already (--server)');
  const level = auditLevels.find((known) => known === given);
  if (level === undefined) throw new UsageError(`--audit is ${auditLevels.join(', ')}, not ${JSON.stringify(given)}`);
  return level;
}

function readContentType(given = 'protobuf'): ContentType {
  if (given !== 'protobuf' && given !== 'json')
    throw new UsageError(`--content-type is protobuf or json, not ${JSON.stringify(given)}`);
  return given;
}
