/** What all controllers share, and what there is for the sake of clouds. */
import { controllerNames } from '../../../controllers/manager/controller-names.ts';
import { defaultControllerManagerOptions } from '../../../controllers/manager/options.ts';
import { formatDuration } from '../duration.ts';
import { bool, duration, file, int32, optionalText, section, strings, text } from '../flag.ts';
import { clientConnectionFlags } from '../shared/client-connection.ts';
import { emulatedVersionFlag } from '../shared/emulated-version.ts';
import { daemonGates, featureGatesFlag } from '../shared/feature-gates.ts';

const { generic: defaults, nodeIpam } = defaultControllerManagerOptions;

const namesOf = (isDefault: boolean): string =>
  controllerNames
    .filter((controller) => controller.isDefault === isDefault)
    .map(({ name }) => name)
    .join(', ');

export const generic = section('Generic', {
  controllers: strings('controllers', 'supported', {
    default: defaults.controllers,
    help:
      'Controllers to run: * stands for those that are on by default, foo for the one of that name, -foo switches it ' +
      `off. On by default: ${namesOf(true)}. Off by default: ${namesOf(false)}.`,
  }),
  startIntervalMs: duration('controller-start-interval', 'supported', {
    help: 'Time between the starts of two controllers.',
  }),
  minResyncPeriodMs: duration('min-resync-period', 'supported', {
    default: formatDuration(defaults.minResyncPeriodMs),
    help: 'Informers resync after a random time between this and twice as much.',
  }),
  useServiceAccountCredentials: bool('use-service-account-credentials', 'supported', {
    help: 'Let each controller use a service account of its own in kube-system, with no more rights than it needs.',
  }),
  clusterName: text('cluster-name', 'ignored', {
    default: 'kubernetes',
    help: 'Name of the cluster for cloud providers: see --cloud-provider.',
  }),
  featureGates: featureGatesFlag(daemonGates),
  emulatedVersions: emulatedVersionFlag,
  ...clientConnectionFlags(),
});

export const cloud = section('Cloud provider', {
  provider: optionalText('cloud-provider', 'ignored', {
    help: 'There is no code for clouds in this program; cloud controller managers run beside it.',
  }),
  config: file('cloud-config', 'ignored', { help: 'Goes with --cloud-provider.' }),
  volumePlugin: optionalText('external-cloud-volume-plugin', 'ignored', { help: 'Goes with --cloud-provider.' }),
  allowUntagged: bool('allow-untagged-cloud', 'ignored', { help: 'Goes with --cloud-provider.' }),
  nodeSyncPeriodMs: duration('node-sync-period', 'ignored', { help: 'See --node-monitor-period.' }),
  nodeStatusUpdateFrequencyMs: duration('node-status-update-frequency', 'ignored', {
    default: '5m0s',
    help: 'How often cloud controller managers look at the status of nodes.',
  }),
  configureRoutes: bool('configure-cloud-routes', 'ignored', {
    default: true,
    help: 'Routes are made by cloud controller managers.',
  }),
  routeReconciliationPeriodMs: duration('route-reconciliation-period', 'ignored', {
    default: '10s',
    help: 'See --configure-cloud-routes.',
  }),
  concurrentServiceSyncs: int32('concurrent-service-syncs', 'ignored', {
    default: 1,
    help: 'Load balancers of services are made by cloud controller managers.',
  }),
});

export const leaderMigration = section('Leader migration', {
  isEnabled: bool('enable-leader-migration', 'supported', {
    help: 'Run controllers that move between controller managers under a lock of their own.',
  }),
  configFile: file('leader-migration-config', 'supported', {
    help: 'LeaderMigrationConfiguration document with --enable-leader-migration: which controllers, and which lock.',
  }),
});

export const nodeIpamController = section('Node IPAM controller', {
  allocateNodeCidrs: bool('allocate-node-cidrs', 'supported', {
    help: 'Allocate a CIDR for the pods of each node.',
  }),
  allocatorType: text('cidr-allocator-type', 'supported', {
    default: nodeIpam.allocatorType,
    help: 'RangeAllocator. CloudAllocator needs a cloud provider, which this program does not have.',
  }),
  clusterCidrs: strings('cluster-cidr', 'supported', {
    help: 'CIDR that those of nodes are cut from; two, of different families, for dual stack.',
  }),
  serviceCidrs: strings('service-cluster-ip-range', 'supported', {
    help: 'CIDR of services, which no node gets a part of; two, of different families, for dual stack.',
  }),
  maskSize: int32('node-cidr-mask-size', 'supported', {
    help: 'Bits of the CIDR of a node. Not with dual stack. Without it 24 for IPv4 and 64 for IPv6.',
  }),
  maskSizeIpv4: int32('node-cidr-mask-size-ipv4', 'supported', {
    help: `The same for IPv4. Without it ${nodeIpam.nodeMaskSizeIpv4}.`,
  }),
  maskSizeIpv6: int32('node-cidr-mask-size-ipv6', 'supported', {
    help: `The same for IPv6. Without it ${nodeIpam.nodeMaskSizeIpv6}.`,
  }),
});
