/**
 * An etcd for tests that ask for no more than its address. Those that kill, freeze or configure one take `EtcdServer`.
 */
import { installedTool } from '../../hack/lib/test-tools.mjs';
import { EtcdServer, type RunningEtcd } from './etcd.ts';
import { etcdImage, startEtcdContainer } from './etcd-container.ts';

export interface WayToEtcd {
  readonly name: string;
  /** Undefined where this machine does not offer it. */
  start(): Promise<RunningEtcd | undefined>;
}

const ways: readonly WayToEtcd[] = [
  { name: `a container of ${etcdImage}`, start: startEtcdContainer },
  {
    name: 'the etcd on the PATH',
    start: async () => {
      const program = installedTool('etcd-3.5');
      return program === undefined ? undefined : EtcdServer.start({ program });
    },
  },
  { name: 'the etcd of hack/get-test-tools', start: () => EtcdServer.start() },
];

/**
 * The first way that leads to an etcd. One that is offered and fails is reported and passed over; the last failure is
 * thrown.
 */
export async function startAnyEtcd(
  candidates: readonly WayToEtcd[] = ways,
  report: (line: string) => void = console.warn,
): Promise<RunningEtcd> {
  let failure = new Error('there is no way to an etcd');
  for (const { name, start } of candidates) {
    try {
      const etcd = await start();
      if (etcd !== undefined) return etcd;
    } catch (error) {
      failure = error as Error;
      report(`etcd: ${name} does not start: ${failure.message}`);
    }
  }
  throw failure;
}
