/** A control plane inside the calling process: what the library offers, over any function that starts the server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { GateSettings } from '../api/feature-gates.ts';
import { boundedLogger } from '../base/bounded-logger.ts';
import { silentLogger } from '../base/logger.ts';
import { assembleStartConfig, type Surroundings } from './assemble.ts';
import type { StartConfig, RunningApiServer, StartApiServer } from './config.ts';
import type {
  ControlPlane,
  ControlPlaneOptions,
  DaemonOptions,
  KoaMiddleware,
  KoaOptions,
} from './control-plane-types.ts';
import { mount, type MountOptions } from '../server/koa/mount.ts';
import { prepareDataDir } from './data-dir.ts';
import { completeApiServerOptions, parseWithoutOperands } from './flags/api-server/options.ts';
import { localDefaultSections, withoutAccounts } from './flags/api-server/local-defaults.ts';
import { type ApiServerOptions, apiServerFlags } from './flags/api-server/table.ts';
import { emulatedGates } from './flags/shared/emulated-version.ts';
import { daemonGates } from './flags/shared/feature-gates.ts';
import { adminKubeconfig } from '../client/format-kubeconfig.ts';
import { writePrivateFile } from './pki/files.ts';
import { ensurePki } from './pki/pki-files.ts';
import { createPki, type Pki } from '../pki/pki.ts';
import { servingNames } from '../pki/serving-names.ts';
import type { DaemonKeys } from './in-process/daemons.ts';
import { adjustable } from './logging.ts';
import { explainStartError } from './start-errors.ts';

const { program, ...sections } = apiServerFlags;
const flags = { ...sections, ...localDefaultSections };

/**
 * Resolves when the server is ready. Rejects with nothing left behind.
 *
 * @param around what a caller cannot choose, but a test can
 */
export async function startControlPlane(
  {
    dataDir,
    port,
    flags: argv = [],
    fileCheckMs,
    log: given = silentLogger,
    signal = new AbortController().signal,
    ...daemons
  }: ControlPlaneOptions,
  start: StartApiServer,
  around: Pick<Surroundings, 'pod'> = {},
): Promise<ControlPlane> {
  const logger = adjustable(boundedLogger(given), 0);
  const { log } = logger;
  const parsed = parseWithoutOperands('createControlPlane', flags, argv);
  // There is no terminal to print a help text on.
  const options = {
    ...withoutAccounts(parsed.options),
    program: { help: program.flags.help.default, version: program.flags.version.default },
  };
  // A free port is fine here, which the flag does not allow.
  const completed = completeApiServerOptions(options, parsed.given);
  for (const warning of [...parsed.warnings, ...completed.warnings]) log.warn({}, warning);
  const names = servingNames({ ...options.serving, serviceClusterIpRanges: options.services.clusterIpRanges });
  const home = await openHome(dataDir);
  try {
    const pki =
      dataDir === undefined
        ? createPki(names, new Date())
        : await ensurePki(join(home.directory, 'pki'), names, new Date(), log);
    const config = await assembleStartConfig(completed, {
      ...around,
      serving: () => Promise.resolve(pki.serving),
      pki,
      storeDirectory: dataDir === undefined ? undefined : join(home.directory, 'store'),
      port: port ?? (parsed.given.has('secure-port') ? options.serving.securePort : 0),
      log,
      verbosity: logger,
      signal,
      ...(fileCheckMs === undefined ? {} : { fileCheckMs }),
    });
    // Loads while the server waits for its store.
    const loading = isAnyWanted(daemons) ? import('./in-process/daemons.ts') : undefined;
    const server = await startOrExplain(config, start);
    try {
      await orAbort(server.ready, signal);
      const endDaemons = await (await loading)?.startDaemons(server, daemons, {
        keys: keysIn(home, pki),
        featureGates: daemonGatesOf(completed.options),
        log,
      });
      return await handOver(
        { ...server, close: () => Promise.resolve(endDaemons?.()).finally(() => server.close()) },
        adminKubeconfig(server.url, config.serving.tls.certificate.get(), pki),
        home,
      );
    } catch (error) {
      await server.close();
      throw error;
    }
  } catch (error) {
    await home.remove();
    throw error;
  }
}

/** One setting for all daemons: `AllAlpha` is about gates of which the API server knows nothing, too. */
const daemonGatesOf = ({ apis }: ApiServerOptions): GateSettings =>
  emulatedGates(apis.featureGates, apis.emulatedVersions, daemonGates);

const isAnyWanted = ({ controllers = false, scheduler = false, hollowNodes = 0 }: DaemonOptions): boolean =>
  controllers !== false || scheduler || hollowNodes > 0;

const keysIn = ({ directory }: Home, pki: Pki): DaemonKeys => ({ directory: join(directory, 'pki'), pki });

async function startOrExplain(config: StartConfig, start: StartApiServer): Promise<RunningApiServer> {
  try {
    return await start(config);
  } catch (error) {
    throw explainStartError(error, config);
  }
}

/** Rejects with the signal's reason when it aborts before. */
function orAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(signal.reason as Error);
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}

interface Home {
  readonly directory: string;
  /** Removes it if it is temporary. */
  remove(): Promise<void>;
}

async function openHome(dataDir: string | undefined): Promise<Home> {
  if (dataDir === undefined) {
    const directory = await mkdtemp(join(tmpdir(), 'orch-'));
    return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
  }
  const directory = resolve(dataDir);
  await prepareDataDir(directory, 'dataDir');
  return { directory, remove: () => Promise.resolve() };
}

async function handOver(server: RunningApiServer, kubeconfig: string, home: Home): Promise<ControlPlane> {
  const kubeconfigPath = join(home.directory, 'admin.kubeconfig');
  await writePrivateFile(kubeconfigPath, kubeconfig);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= server.close().finally(home.remove));
  return {
    url: server.url,
    kubeconfig,
    kubeconfigPath,
    koa: (options) => mounted(server, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The types of Koa's context are the caller's. */
function mounted<Context>(
  { handle }: RunningApiServer,
  { prefix, user }: KoaOptions<Context> = {},
): KoaMiddleware<Context> {
  const known: MountOptions['user'] =
    user === undefined
      ? undefined
      : async (ctx) => {
          const found = await user(ctx as Context);
          return found === undefined ? undefined : { ...found, groups: found.groups ?? [] };
        };
  return mount({ handle, prefix, user: known }) as KoaMiddleware<unknown> as KoaMiddleware<Context>;
}
