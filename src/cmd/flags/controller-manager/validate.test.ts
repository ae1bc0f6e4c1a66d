import { describe, expect, test } from 'vitest';
import { complete, problems } from './testing/complete.ts';

describe('--controllers', () => {
  test.each([
    { value: 'foo', refused: ['"foo" is not in the list of known controllers'] },
    {
      value: '*,-foo,bar',
      refused: ['"foo" is not in the list of known controllers', '"bar" is not in the list of known controllers'],
    },
    { value: 'deployment,-job,-cronjob-controller,podgc,token-cleaner-controller', refused: [] },
    { value: '*', refused: [] },
  ])('--controllers: $value: $refused', ({ value, refused }) => {
    expect(problems([`--controllers=${value}`])).toEqual(refused);
  });
});

describe('values that are refused', () => {
  test.each([
    ...['cron-job', 'job', 'statefulset', 'ephemeralvolume', 'horizontal-pod-autoscaler', 'deployment', 'gc'].map(
      (name) => ({
        argv: [`--concurrent-${name}-syncs=0`],
        problem: `concurrent-${name}-syncs must be greater than 0, but got 0`,
      }),
    ),
    {
      argv: ['--concurrent-service-endpoint-syncs=0'],
      problem: 'concurrent-service-endpoint-syncs must not be less than 1, but got 0',
    },
    {
      argv: ['--concurrent-service-endpoint-syncs=51'],
      problem: 'concurrent-service-endpoint-syncs must not be more than 50, but got 51',
    },
    { argv: ['--max-endpoints-per-slice=0'], problem: 'max-endpoints-per-slice must not be less than 1, but got 0' },
    {
      argv: ['--max-endpoints-per-slice=1001'],
      problem: 'max-endpoints-per-slice must not be more than 1000, but got 1001',
    },
    {
      argv: ['--mirroring-concurrent-service-endpoint-syncs=51'],
      problem: 'mirroring-concurrent-service-endpoint-syncs must not be more than 50, but got 51',
    },
    {
      argv: ['--mirroring-max-endpoints-per-subset=1001'],
      problem: 'mirroring-max-endpoints-per-subset must not be more than 1000, but got 1001',
    },
    {
      argv: ['--cluster-signing-kubelet-serving-key-file=/k'],
      problem: '"cluster-signing-kubelet-serving": cannot specify key without cert',
    },
    {
      argv: ['--cluster-signing-kubelet-client-cert-file=/c'],
      problem: '"cluster-signing-kube-apiserver-client": cannot specify cert without key',
    },
    {
      argv: ['--cluster-signing-kube-apiserver-client-cert-file=/c'],
      problem: '"cluster-signing-kube-apiserver": cannot specify cert without key',
    },
    {
      argv: ['--cluster-signing-legacy-unknown-cert-file=/c'],
      problem: '"cluster-signing-legacy-unknown": cannot specify cert without key',
    },
    {
      argv: [
        '--cluster-signing-cert-file=/c',
        '--cluster-signing-key-file=/k',
        '--cluster-signing-legacy-unknown-cert-file=/c',
        '--cluster-signing-legacy-unknown-key-file=/k',
      ],
      problem:
        'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    },
    {
      argv: ['--service-cluster-ip-range=10.0.0.0/16,244.0.0.0/16,3000::/108'],
      problem: '--service-cluster-ip-range can not contain more than two entries',
    },
    { argv: ['--enable-leader-migration'], problem: '--leader-migration-config is required' },
    {
      argv: ['--horizontal-pod-autoscaler-sync-period=0'],
      problem: '--horizontal-pod-autoscaler-sync-period must be greater than zero',
    },
    {
      argv: ['--attach-detach-reconcile-sync-period=999ms'],
      problem: '--attach-detach-reconcile-sync-period must not be less than 1s',
    },
    { argv: ['--node-eviction-rate=-1'], problem: '--node-eviction-rate can not be negative value' },
    {
      argv: ['--leader-elect-resource-lock=endpoints'],
      problem:
        '--leader-elect-resource-lock "endpoints" invalid, allowed values: leases, endpointsleases, configmapsleases',
    },
    { argv: ['--kube-api-burst=-1'], problem: '--kube-api-burst must be non-negative' },
    {
      argv: ['--secure-port=-1'],
      problem: '--secure-port -1 must be between 0 and 65535, inclusive. 0 for turning off secure port',
    },
  ])('Values that are refused: $argv', ({ argv, problem }) => {
    expect(problems(argv)).toEqual([problem]);
  });

  test('A number beyond 32 bits cannot be read', () => {
    expect(() => complete(['--concurrent-job-syncs=3000000000'])).toThrow(
      'invalid argument "3000000000" for "--concurrent-job-syncs" flag: strconv.ParseInt: parsing "3000000000": ' +
        'value out of range',
    );
  });
});

describe('CIDRs of nodes', () => {
  const cluster = (cidr: string, ...more: string[]): string[] => [
    '--allocate-node-cidrs',
    `--cluster-cidr=${cidr}`,
    ...more,
  ];
  test.each([
    { argv: ['--cluster-cidr=x', '--node-cidr-mask-size=1', '--node-cidr-mask-size-ipv4=2'], problem: undefined },
    { argv: ['--allocate-node-cidrs'], problem: '--cluster-cidr is required with --allocate-node-cidrs' },
    { argv: cluster('10.0.0.0/33'), problem: '--cluster-cidr: invalid CIDR address: 10.0.0.0/33' },
    {
      argv: cluster('10.0.0.0/16,10.1.0.0/16'),
      problem: 'len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily)',
    },
    {
      argv: cluster('10.0.0.0/16,fd00::/48,10.1.0.0/16'),
      problem: 'length of clusterCIDRs is:3 more than max allowed of 2',
    },
    {
      argv: cluster('10.0.0.0/16', '--cidr-allocator-type=CloudAllocator'),
      problem: "--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured",
    },
    {
      argv: cluster('10.0.0.0/16', '--cidr-allocator-type=Other'),
      problem: 'invalid CIDR allocator type: Other',
    },
    {
      argv: cluster('10.0.0.0/16,fd00::/48', '--node-cidr-mask-size=24'),
      problem: 'usage of --node-cidr-mask-size is not allowed with dual-stack clusters',
    },
    {
      argv: cluster('10.0.0.0/16', '--node-cidr-mask-size=24', '--node-cidr-mask-size-ipv4=24'),
      problem:
        'usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size ' +
        'is set. For dual-stack clusters please unset it and use IPFamily specific flags',
    },
    {
      argv: cluster('10.0.0.0/16', '--node-cidr-mask-size-ipv6=64'),
      problem: 'usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster',
    },
    {
      argv: cluster('fd00::/48', '--node-cidr-mask-size-ipv4=24'),
      problem: 'usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster',
    },
    {
      argv: cluster('10.0.0.0/16', '--node-cidr-mask-size=12'),
      problem: 'the node CIDR mask size 12 must be between the prefix length of "10.0.0.0/16" and 32',
    },
    {
      argv: cluster('fd00::/32'),
      problem: 'New CIDR set failed; the node CIDR size is too big: "fd00::/32" with node CIDR mask size 64',
    },
    {
      argv: cluster('10.0.0.0/16', '--service-cluster-ip-range=10.1.0.0/16,10.2.0.0/16'),
      problem: 'serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)',
    },
    { argv: cluster('10.0.0.0/16', '--node-cidr-mask-size-ipv4=25'), problem: undefined },
    { argv: cluster('fd00::/48'), problem: undefined },
  ])('CIDRs of nodes: $argv: $problem', ({ argv, problem }) => {
    expect(problems(argv)).toEqual(problem === undefined ? [] : [problem]);
  });
});

describe('the lock of the leader election', () => {
  const own = 'orch-system/controller-manager';
  const original = 'kube-system/kube-controller-manager';
  test.each([
    { name: 'our own by default', argv: [], program: 'controller-manager', lock: own },
    { name: "the original's in its place", argv: [], program: 'kube-controller-manager', lock: original },
    {
      name: "the original's with flags that only it has",
      argv: ['--cluster-signing-kubelet-client-cert-file=/c', '--cluster-signing-kubelet-client-key-file=/k'],
      program: 'controller-manager',
      lock: original,
    },
    {
      name: "the original's where its namespace is named",
      argv: ['--leader-elect-resource-namespace=kube-system'],
      program: 'controller-manager',
      lock: original,
    },
    {
      name: "the original's where its name is named",
      argv: ['--leader-elect-resource-name=kube-controller-manager'],
      program: 'controller-manager',
      lock: original,
    },
    {
      name: 'another name in our namespace',
      argv: ['--leader-elect-resource-name=other'],
      program: 'controller-manager',
      lock: 'orch-system/other',
    },
    {
      name: 'what is named in full, whatever the program',
      argv: ['--leader-elect-resource-name=a', '--leader-elect-resource-namespace=b'],
      program: 'kube-controller-manager',
      lock: 'b/a',
    },
  ])('The lock of the leader election is $name', ({ argv, program, lock }) => {
    const { resourceNamespace, resourceName } = complete(argv, program).daemon.leaderElection;
    expect(`${resourceNamespace}/${resourceName}`).toBe(lock);
  });
});
