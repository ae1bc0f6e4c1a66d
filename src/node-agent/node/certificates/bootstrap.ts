/**
 * TLS bootstrap: a machine that joins a cluster asks for its client certificate with the credentials that all new
 * machines have, and writes the kubeconfig with which it goes on.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/ | TLS bootstrapping}
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectories } from '../../../base/make-directories.ts';
import { privateFileMode } from '../../../base/private-files.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import type { ClientConfig } from '../../../client/client-config.ts';
import { createKey } from '../../../pki/certificate.ts';
import { pause } from '../../../reconcile/pause.ts';
import { agentKubeconfig } from './agent-kubeconfig.ts';
import { CertificateFiles, lifeOf, PendingKey } from './certificate-files.ts';
import { obtainCertificate, RequestRefused } from './signing-request.ts';

export interface BootstrapOptions {
  readonly nodeName: string;
  readonly certDir: string;
  /** Where the kubeconfig goes. */
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string;
  /** By the credentials of the bootstrap kubeconfig. */
  readonly client: Client;
  readonly log: Logger;
  readonly clock: Clock;
  readonly wallTime: () => number;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** How long a server that starts is waited for; then it is asked anyway. */
const healthTimeoutMs = 60_000;
const healthEveryMs = 2000;
/** How long the request may wait for its approval. */
const answerTimeoutMs = 3_600_000;

/** Whether the agent can work with the credentials of a kubeconfig. @param config undefined: it cannot be read */
export function needsBootstrap(config: ClientConfig | undefined, now: number): boolean {
  if (config?.certificate === undefined) return true;
  try {
    return lifeOf(config.certificate).until <= now;
  } catch {
    return true;
  }
}

/** Rejects where the request is refused, or not answered in an hour. */
export async function bootstrap(options: BootstrapOptions): Promise<void> {
  const { nodeName, certDir, kubeconfig, bootstrapKubeconfig, client, log, wallTime, signal } = options;
  const files = new CertificateFiles(certDir, 'kubelet-client');
  const content = agentKubeconfig(
    await readFile(bootstrapKubeconfig, 'utf8'),
    path.dirname(path.resolve(bootstrapKubeconfig)),
    files.currentPath,
  );
  const present = await files.current();
  if (present === undefined || lifeOf(present.certificate).until <= wallTime()) {
    log.info({ node: nodeName }, 'asking for a client certificate');
    await untilHealthy(options);
    const pending = new PendingKey(certDir, 'kubelet-client');
    const key = (await pending.read()) ?? (createKey().export({ type: 'pkcs8', format: 'pem' }) as string);
    await pending.write(key);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
    const wanted = { nodeName, use: 'client auth', key } as const;
    const pair = await obtainCertificate(client, wanted, limit).catch(async (error: unknown) => {
      // Another key, or this agent would meet the same refusal for ever.
      if (error instanceof RequestRefused) await pending.remove();
      throw error;
    });
    await files.save(pair, new Date(wallTime()));
    await pending.remove();
  }
  await writeKubeconfig(kubeconfig, content);
  log.info({ kubeconfig }, 'the kubeconfig of the node was written');
}

async function untilHealthy({ client, clock, signal, log }: BootstrapOptions): Promise<void> {
  const endsAt = clock.now() + healthTimeoutMs;
  while (!signal.aborted && clock.now() < endsAt) {
    if (await isHealthy(client, signal)) return;
    await pause(clock, healthEveryMs, signal);
  }
  signal.throwIfAborted();
  log.warn({}, 'the API server does not say that it is healthy');
}

async function isHealthy(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await client.request({ method: 'GET', path: '/healthz', signal, timeoutMs: 5000 });
    for await (const _ of answer.body);
    answer.end();
    return answer.status === 200;
  } catch {
    return false;
  }
}

async function writeKubeconfig(file: string, content: string): Promise<void> {
  await makeDirectories(path.dirname(path.resolve(file)));
  const temporary = `${file}.tmp`;
  try {
    await writeFile(temporary, content, { mode: privateFileMode });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
