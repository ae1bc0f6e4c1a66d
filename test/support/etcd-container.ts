/** etcd in a container, where a Docker engine answers. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ContainerRuntimeClient } from 'testcontainers';
import type { RunningEtcd } from './etcd.ts';

/** The version that `hack/get-test-tools` provides, so that every way leads to the same etcd. */
export const etcdImage = 'quay.io/coreos/etcd:v3.5.16';

const clientPort = 2379;
const answerTimeoutMs = 10_000;
const pullTimeoutMs = 60_000;
const startTimeoutMs = 30_000;

/** Names the process that started a container: `host/pid`. */
const ownerLabel = 'io.orch.test-process';

/** Whether there may be an engine to ask: costs one look at the file system. */
export function engineIsNamed(environment: NodeJS.ProcessEnv = process.env, socket = '/var/run/docker.sock'): boolean {
  const host = environment['DOCKER_HOST'];
  if (host === undefined || host === '') return existsSync(socket);
  return !host.startsWith('unix://') || existsSync(host.slice('unix://'.length));
}

/**
 * Undefined where no engine is named; throws where the engine does not answer, or has no such image and cannot get it.
 */
export async function startEtcdContainer(): Promise<RunningEtcd | undefined> {
  if (!engineIsNamed()) return undefined;
  const { GenericContainer, ImageName, Wait, getContainerRuntimeClient } = await import('testcontainers');
  const engine = await within(answerTimeoutMs, getContainerRuntimeClient(), 'the Docker engine did not answer');
  await removeAbandoned(engine);
  await within(pullTimeoutMs, engine.image.pull(ImageName.fromString(etcdImage)), `${etcdImage} did not come`);
  // A container to clean up after this one would be another image to pull: we do that ourselves, see removeAbandoned.
  const container = await new GenericContainer(etcdImage)
    .withAutoCleanup(false)
    .withLabels({ [ownerLabel]: `${hostname()}/${process.pid}` })
    .withExposedPorts(clientPort)
    .withCommand([
      '/usr/local/bin/etcd',
      `--listen-client-urls=http://0.0.0.0:${clientPort}`,
      `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
      '--logger=zap',
      '--unsafe-no-fsync',
    ])
    .withWaitStrategy(Wait.forHttp('/health', clientPort).withStartupTimeout(startTimeoutMs))
    .start();
  return {
    url: `http://${container.getHost()}:${container.getMappedPort(clientPort)}`,
    [Symbol.asyncDispose]: async () => void (await container.stop()),
  };
}

/** Removes what test processes of this machine left behind when they were killed. */
async function removeAbandoned(engine: ContainerRuntimeClient): Promise<void> {
  for (const { Id, Labels } of await engine.container.list()) {
    const [host, pid] = (Labels[ownerLabel] ?? '').split('/');
    if (host !== hostname() || processLives(Number(pid))) continue;
    // Another test process may be doing the same.
    await engine.container
      .getById(Id)
      .remove({ force: true, v: true })
      .catch(() => undefined);
  }
}

function processLives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(new Error(`${message} within ${ms / 1000} s`)), ms)),
  );
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
