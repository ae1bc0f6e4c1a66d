import { expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { defaultConfig } from '../config/config.ts';
import type { NodeAgentSettings } from '../config/settings.ts';
import { findNodeAddresses } from './addresses.ts';
import { NodeKeeper } from './node-keeper.ts';
import { machineWith, runtimeWith } from './testing/node-parts.ts';

/** A machine with an address of each family, without an API server. */
async function standalone(given: Partial<NodeAgentSettings>): Promise<NodeKeeper> {
  const settings: NodeAgentSettings = {
    config: defaultConfig,
    featureGates: {},
    nodeName: 'n',
    rootDir: '/',
    certDir: '/',
    kubeconfig: undefined,
    bootstrapKubeconfig: undefined,
    nodeIPs: [],
    nodeLabels: {},
    hasExternalCloud: false,
    isSchedulable: true,
    keepsEvictionThresholds: true,
    credentialProviders: [],
    deadContainers: { perContainer: 1, total: -1, minAgeMs: 0 },
    keepsTerminatedVolumes: false,
    sandboxImage: '',
    mounterPath: '',
    runtimeCgroups: '',
    lockFile: undefined,
    exitsOnLockContention: false,
    ...given,
  };
  const keeper = new NodeKeeper({
    client: undefined,
    settings,
    runtime: runtimeWith(),
    readMachine: () => Promise.resolve(machineWith()),
    findAddresses: () =>
      findNodeAddresses(
        { nodeName: 'n', hostname: 'host', nodeIPs: settings.nodeIPs },
        {
          interfaceAddresses: () => ['192.0.2.5', '2001:db8::5'],
          lookup: () => Promise.resolve([]),
          routedAddress: (family) => Promise.resolve(family === 4 ? '192.0.2.5' : '2001:db8::5'),
        },
      ),
    pressure: () => ({ memory: false, disk: false, pid: false }),
    problems: () => [],
    looksFirst: false,
    warnings: [],
    events: { event: () => undefined },
    log: silentLogger,
    clock: new FakeClock(),
    random: () => 0,
    wallTime: () => 0,
  });
  keeper.start();
  await keeper.known;
  return keeper;
}

test.each<{ name: string; nodeIPs: string[]; hasExternalCloud?: true; ips: string[] }>([
  { name: 'that of its default route', nodeIPs: [], ips: ['192.0.2.5'] },
  { name: 'those of both families', nodeIPs: ['0.0.0.0', '::'], ips: ['192.0.2.5', '2001:db8::5'] },
  { name: 'for its cloud to tell', nodeIPs: [], hasExternalCloud: true, ips: [] },
  { name: 'both of its own', nodeIPs: ['192.0.2.5', '2001:db8::5'], ips: ['192.0.2.5', '2001:db8::5'] },
  { name: 'the other family first', nodeIPs: ['2001:db8::5', '192.0.2.5'], ips: ['2001:db8::5', '192.0.2.5'] },
])(
  'A node without an API server knows its addresses and resources, which are $name',
  async ({ nodeIPs, ips, hasExternalCloud = false }) => {
    const keeper = await standalone({ nodeIPs, hasExternalCloud });
    const { addresses = [], allocatable = {}, capacity = {} } = keeper.node!.status;
    expect(addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address)).toEqual(ips);
    expect(capacity['cpu']).toBe('2');
    expect(allocatable['pods']).toBe('110');
    await keeper.stop();
  },
);
