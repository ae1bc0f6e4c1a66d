/**
 * The configuration of a client that is read again while the program runs: operators replace kubeconfig files, and the
 * certificate authorities that these name. A new one counts from the next request on; what is under way goes on.
 *
 * Whom the client impersonates does not change: that is part of what the program is.
 */
import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { FileReports } from '../../base/file-reports.ts';
import type { Logger } from '../../base/logger.ts';
import { Ticker } from '../../base/ticker.ts';
import type { ClientConfig } from '../client-config.ts';
import type { Pod } from '../in-cluster.ts';
import type { ClientPair } from '../transport-config.ts';
import { inCluster, loadKubeconfig, type LoadOptions } from './load.ts';

export interface ReadConfig {
  readonly config: ClientConfig;
  /** Differs when anything in it does. */
  readonly fingerprint: string;
}

export interface ReloadingOptions {
  readonly log: Logger;
  /** Between two looks at the files. */
  readonly everyMs?: number;
  readonly clock?: Clock;
  /** Told what comes of changes in place of the log, for a configuration that is in a file. */
  readonly reports?: { readonly file: string; readonly to: FileReports } | undefined;
}

export interface ReloadingConfig {
  readonly config: ClientConfig;
  /** Looks now. Resolves with whether there is another configuration than before. */
  look(): Promise<boolean>;
  stop(): void;
}

const defaultEveryMs = 5000;

/** A kubeconfig file, which has to exist. Exec plugins cannot ask a person. */
export async function readKubeconfigFile(
  path: string,
  options: Pick<LoadOptions, 'clock' | 'observer' | 'reports'> = {},
): Promise<ReadConfig> {
  // Read first: a file that is replaced meanwhile differs at the next look. What is wrong with it, the other read says.
  const text = await readFile(path, 'utf8').catch(() => '');
  const config = await loadKubeconfig({ ...options, path, isInteractive: false });
  return { config, fingerprint: `${config.ca ?? ''}\n${text}` };
}

/** The API of the cluster that this process is a pod of. */
export async function readPodConfig(pod?: Pod, clock?: Clock): Promise<ReadConfig> {
  const config = await inCluster(pod, clock);
  return { config, fingerprint: `${config.ca ?? ''}\n${config.url}` };
}

/** Rejects when it cannot be read now. Later such a failure is logged, and the configuration from before stays. */
export async function reloadingConfig(
  read: () => Promise<ReadConfig>,
  { log, everyMs = defaultEveryMs, clock = systemClock, reports }: ReloadingOptions,
): Promise<ReloadingConfig> {
  const current = new Current(await read(), read, { log, reports });
  const ticker = new Ticker(clock, everyMs, () => void current.look());
  ticker.start();
  return { config: current.config, look: () => current.look(), stop: () => ticker.stop() };
}

class Current {
  readonly #readAgain: () => Promise<ReadConfig>;
  readonly #told: Pick<ReloadingOptions, 'log' | 'reports'>;
  #read: ReadConfig;
  #pair: ClientPair | undefined;
  #looking: Promise<boolean> | undefined;
  #failed = '';
  readonly config: ClientConfig;

  constructor(
    first: ReadConfig,
    readAgain: () => Promise<ReadConfig>,
    told: Pick<ReloadingOptions, 'log' | 'reports'>,
  ) {
    this.#read = first;
    this.#pair = pairOf(first.config);
    this.#readAgain = readAgain;
    this.#told = told;
    const now = (): ClientConfig => this.#read.config;
    const { impersonate, namespace, warnings } = first.config;
    this.config = {
      get url() {
        return now().url;
      },
      get ca() {
        return now().ca;
      },
      get serverName() {
        return now().serverName;
      },
      get skipVerify() {
        return now().skipVerify === true;
      },
      get proxyUrl() {
        return now().proxyUrl;
      },
      impersonate,
      namespace,
      ...(warnings === undefined ? {} : { warnings }),
      version: () => this.#read.fingerprint,
      renewedPair: () => {
        const renewed = now().renewedPair?.();
        return renewed instanceof Promise ? renewed.then((pair) => pair ?? this.#pair) : (renewed ?? this.#pair);
      },
      authorization: () => now().authorization?.(),
      // The file may have other credentials by now.
      onUnauthorized: async (shown) => (await this.look()) || ((await now().onUnauthorized?.(shown)) ?? false),
    };
  }

  look(): Promise<boolean> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<boolean> {
    try {
      const read = await this.#readAgain();
      this.#failed = '';
      if (read.fingerprint === this.#read.fingerprint) return false;
      this.#pair = pairOf(read.config);
      this.#read = read;
      this.#tellTaken();
      return true;
    } catch (error) {
      const problem = (error as Error).message;
      if (problem !== this.#failed) this.#tellRefused(error);
      this.#failed = problem;
      return false;
    }
  }

  #tellTaken(): void {
    const { log, reports } = this.#told;
    if (reports !== undefined) reports.to.taken([reports.file]);
    else log.info({ server: this.#read.config.url }, 'the configuration of the client was read again');
  }

  #tellRefused(error: unknown): void {
    const { log, reports } = this.#told;
    if (reports !== undefined) reports.to.refused([reports.file], error);
    else log.warn({ err: error }, 'the configuration of the client cannot be read; the one before stays in force');
  }
}

/** The same object as long as it is the same pair. */
const pairOf = ({ certificate, key }: ClientConfig): ClientPair | undefined =>
  certificate === undefined || key === undefined ? undefined : { certificate, key };
