/** `orch apiserver`: one API server, as its flags say. On etcd several of them share the work. */
import { join, resolve } from 'node:path';
import type { Logger } from '../base/logger.ts';
import { assembleStartConfig } from './assemble.ts';
import type { Command } from './command.ts';
import { prepareDataDir } from './data-dir.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { watchInterrupts } from './interrupts.ts';
import { levelOf } from './logging.ts';
import type { KeyPair } from '../pki/pki.ts';
import { ensureSelfSigned } from './pki/self-signed.ts';
import { servingNames } from '../pki/serving-names.ts';
import { findPublicAddress } from './public-address.ts';
import { loggerFor, readCommandLine, serveUntilStopped, serverFlags } from './server-command.ts';

const about = 'Runs one API server. Without --store-servers it keeps its data in the embedded store.';

export const apiserver: Command = async (argv, context) => {
  const line = readCommandLine('orch apiserver', about, serverFlags, argv, context);
  if (line === undefined) return 0;
  const { completed, options } = line;
  using interrupts = watchInterrupts(context);
  const logger = await loggerFor(options, levelOf(options.logs.verbosity), context);
  const { log } = logger;
  const dataDir = resolve(options.local.dataDir);
  if (options.storage.servers.length === 0) await prepareDataDir(dataDir);
  const config = await assembleStartConfig(completed, {
    serving: () => selfSigned(completed.options, log),
    pki: undefined,
    storeDirectory: join(dataDir, 'store'),
    log,
    verbosity: logger,
    ownsProcess: true,
    signal: interrupts.signal,
  });
  return await serveUntilStopped(
    {
      config,
      interrupts,
      onServing: ({ url }) => log.info({ url, version: config.version.gitVersion }, 'serving'),
      onStopping: () => log.info({}, 'stopping'),
    },
    context,
  );
};

async function selfSigned({ serving, services }: ApiServerOptions, log: Logger): Promise<KeyPair> {
  await prepareDataDir(serving.certDir, '--cert-dir, or give --tls-cert-file and --tls-private-key-file');
  const advertiseAddress = await findPublicAddress(serving.advertiseAddress, serving.bindAddress);
  const names = servingNames({ ...serving, advertiseAddress, serviceClusterIpRanges: services.clusterIpRanges });
  return ensureSelfSigned({
    directory: serving.certDir,
    pairName: 'apiserver',
    commonName: serving.externalHostname ?? advertiseAddress,
    names,
    now: new Date(),
    log,
  });
}
