/**
 * `orch up`: everything for one machine. On the first start it makes keys and certificates; a later start continues
 * with the same data and the same credentials.
 */
import { join, relative, resolve } from 'node:path';
import type { Logger } from '../base/logger.ts';
import { orchVersion, versionInfo } from '../base/version.ts';
import { assembleStartConfig } from './assemble.ts';
import type { Command } from './command.ts';
import type { StartConfig } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import { localDefaultSections } from './flags/api-server/local-defaults.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { section, text, withDefault } from './flags/flag.ts';
import { watchInterrupts } from './interrupts.ts';
import { adminKubeconfig } from '../client/format-kubeconfig.ts';
import { levelOf } from './logging.ts';
import { writePrivateFile } from './pki/files.ts';
import { ensurePki } from './pki/pki-files.ts';
import type { Pki } from '../pki/pki.ts';
import { servingNames } from '../pki/serving-names.ts';
import { loggerFor, readCommandLine, serveUntilStopped, serverFlags } from './server-command.ts';

const about = `Starts a control plane on this machine: keys, certificates and data in --data-dir, reachable from this
machine only unless --bind-address says otherwise. Ctrl-C stops it; the next start continues with the same data.`;

/**
 * As for `orch apiserver`, but for this machine alone; and with authorization as clusters have it, because there are
 * service accounts.
 */
export const upFlags = {
  ...serverFlags,
  ...localDefaultSections,
  authorization: section(serverFlags.authorization.title, {
    ...serverFlags.authorization.flags,
    modes: withDefault(serverFlags.authorization.flags.modes, ['Node', 'RBAC']),
  }),
  local: section('Local control plane', {
    dataDir: text('data-dir', 'supported', {
      default: '.orch',
      help: 'Directory for everything that is kept: the data, pki/ with keys and certificates, and admin.kubeconfig.',
    }),
  }),
} as const;

export const up: Command = async (argv, context) => {
  const line = readCommandLine('orch up', about, upFlags, argv, context);
  if (line === undefined) return 0;
  const { completed, options, given } = line;
  const { out } = context;
  using interrupts = watchInterrupts(context);
  out(`orch ${orchVersion}, Kubernetes API ${versionInfo().gitVersion.split('+')[0]}\n`);
  const dataDir = resolve(options.local.dataDir);
  await prepareDataDir(dataDir);
  // Progress is what people want to see here; logs tell them of trouble, or of more when they ask.
  const log = await loggerFor(options, given.has('v') ? levelOf(options.logs.verbosity) : 'warn', context);
  const pki = await ensureLocalPki(dataDir, completed.options, log);
  out(`  keys and certificates  ${shown(join(dataDir, 'pki'))}\n`);
  const config = await assembleStartConfig(completed, {
    serving: () => Promise.resolve(pki.serving),
    pki,
    storeDirectory: join(dataDir, 'store'),
    log,
    ownsProcess: true,
    signal: interrupts.signal,
  });
  out(`  store                  ${describeStore(config)}\n`);
  const kubeconfig = join(dataDir, 'admin.kubeconfig');
  const code = await serveUntilStopped(
    {
      config,
      interrupts,
      onServing: async ({ url, ready }) => {
        await writePrivateFile(kubeconfig, adminKubeconfig(url, config.serving.tls.certificate.get(), pki));
        out(`  API server             ${url}\n`);
        await Promise.race([ready, interrupts.first]);
        if (!interrupts.signal.aborted) out(`\n${nextSteps(shown(kubeconfig))}`);
      },
      onStopping: () => out('\nStopping. Ctrl-C once more ends it at once.\n'),
    },
    context,
  );
  out(code === 0 ? `Stopped. The data is in ${shown(dataDir)}.\n` : 'Stopped before it was ready.\n');
  return code;
};

const ensureLocalPki = (dataDir: string, options: ApiServerOptions, log: Logger): Promise<Pki> =>
  ensurePki(
    join(dataDir, 'pki'),
    servingNames({ ...options.serving, serviceClusterIpRanges: options.services.clusterIpRanges }),
    new Date(),
    log,
  );

const describeStore = ({ store }: StartConfig): string =>
  store.kind === 'etcd'
    ? `etcd at ${store.servers.join(', ')}`
    : `embedded, ${store.directory === undefined ? 'in memory' : shown(store.directory)}`;

const nextSteps = (
  kubeconfig: string,
): string => `Ready. The administrator's kubeconfig is ${kubeconfig}. In another terminal:

  export KUBECONFIG=${quote(kubeconfig.startsWith('/') ? kubeconfig : `$PWD/${kubeconfig}`)}
  kubectl get namespaces

Ctrl-C stops it; the next start continues with the same data.
`;

/** Relative where that is shorter to read. */
function shown(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}

const quote = (path: string): string =>
  /^[\w./$@%+=:,-]+$/.test(path) ? path : `"${path.replace(/["\\`]/g, '\\$&')}"`;
