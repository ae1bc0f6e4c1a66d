/** From judged options to what the server is started with: reads the files they name and finds out where it is reached. */
import { versionInfo } from '../base/version.ts';
import type { Logger } from '../base/logger.ts';
import type { ApiServerConfig, StoreConfig } from './config.ts';
import type { CompletedOptions } from './flags/api-server/options.ts';
import { readOverride } from './flags/api-server/store-overrides.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import type { KeyPair } from './pki/pki.ts';
import { findPublicAddress } from './public-address.ts';
import { readFlagFile } from './read-file.ts';

export interface Surroundings {
  /** Used when no `--tls-cert-file` is given. */
  readonly serving: () => Promise<KeyPair>;
  /** Trusted besides `--client-ca-file`, PEM. */
  readonly clientCa: string | undefined;
  /** Where the embedded store is; in memory when absent. */
  readonly storeDirectory: string | undefined;
  /** The port to listen on, if not `--secure-port`. */
  readonly port?: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export async function assembleApiServerConfig({ options, featureGates, groupVersions }: CompletedOptions, around: Surroundings): Promise<ApiServerConfig> {
  const { serving, authentication } = options;
  // One after the other, so that of several missing files it is always the same one that is named.
  const given = await readPair('tls-cert-file', serving.tlsCertFile, 'tls-private-key-file', serving.tlsPrivateKeyFile);
  const clientCa = await readFlagFile('client-ca-file', authentication.clientCaFile);
  const tokenFile = await readFlagFile('token-auth-file', authentication.tokenAuthFile);
  const store = await readStore(options.storage, around.storeDirectory);
  return {
    options,
    featureGates,
    groupVersions,
    listen: { address: serving.bindAddress, port: around.port ?? serving.securePort },
    publicAddress: await findPublicAddress(serving.advertiseAddress, serving.bindAddress),
    serving: given ?? (await around.serving()),
    clientCa: [clientCa, around.clientCa].filter((pem) => pem !== undefined).join('\n') || undefined,
    tokenFile,
    store,
    version: versionInfo(),
    log: around.log,
    signal: around.signal,
  };
}

async function readStore(storage: ApiServerOptions['storage'], directory: string | undefined): Promise<StoreConfig> {
  if (storage.servers.length === 0) return { kind: 'embedded', directory };
  // Only to say early what cannot be read: the client reads them again for each connection, as they may be replaced.
  await readFlagFile('store-cafile', storage.caFile);
  await readPair('store-certfile', storage.certFile, 'store-keyfile', storage.keyFile);
  const overrides = storage.serversOverrides.map(readOverride).filter((override) => override !== undefined);
  return { kind: 'etcd', servers: storage.servers, overrides, tls: definedOnly({ caFile: storage.caFile, certFile: storage.certFile, keyFile: storage.keyFile }) };
}

async function readPair(certificateFlag: string, certificatePath: string | undefined, keyFlag: string, keyPath: string | undefined): Promise<KeyPair | undefined> {
  const certificate = await readFlagFile(certificateFlag, certificatePath);
  const key = await readFlagFile(keyFlag, keyPath);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function definedOnly<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
