import { describe, expect, test } from 'vitest';
import { extensionPointNames } from '../framework/extension-point.ts';
import { defaultSchedulerConfig } from './defaults.ts';
import { loadSchedulerConfig } from './load.ts';

const header = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
const load = (document: object) => loadSchedulerConfig(JSON.stringify({ ...header, ...document }));
const withPlugins = (plugins: object) => load({ profiles: [{ plugins }] }).scheduler.profiles[0]!.plugins;
const withArgs = (name: string, args: object) => load({ profiles: [{ pluginConfig: [{ name, args }] }] });
const messageOf = (read: () => unknown): string => {
  try {
    read();
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a configuration', () => {
  test.each(['kubescheduler.config.k8s.io/v1', 'kubescheduler.config.orch.io/v1'])(
    'A scheduler configuration of version %s that says nothing is the default one',
    (apiVersion) => {
      const { scheduler, process } = loadSchedulerConfig(`apiVersion: ${apiVersion}\nkind: KubeSchedulerConfiguration`);
      expect(scheduler).toEqual(defaultSchedulerConfig());
      expect(process).toEqual({
        parallelism: 16,
        leaderElection: {
          leaderElect: true,
          leaseDurationMs: 15_000,
          renewDeadlineMs: 10_000,
          retryPeriodMs: 2000,
          resourceLock: 'leases',
          resourceName: 'kube-scheduler',
          resourceNamespace: 'kube-system',
        },
        clientConnection: {
          kubeconfig: '',
          acceptContentTypes: '',
          contentType: 'application/vnd.kubernetes.protobuf',
          qps: 50,
          burst: 100,
        },
        enableProfiling: true,
        enableContentionProfiling: true,
        delayCacheUntilActive: false,
      });
    },
  );

  test('A scheduler configuration is YAML, with several profiles and their arguments', () => {
    const { scheduler, process } = loadSchedulerConfig(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false, leaseDuration: 30s}
percentageOfNodesToScore: 50
podInitialBackoffSeconds: 2
profiles:
- schedulerName: packing
  percentageOfNodesToScore: 70
  pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      scoringStrategy: {type: MostAllocated, resources: [{name: cpu}, {name: example.com/gpu, weight: 5}]}
- schedulerName: default-scheduler
`);
    expect(process.leaderElection).toMatchObject({ leaderElect: false, leaseDurationMs: 30_000 });
    expect(scheduler).toMatchObject({ percentageOfNodesToScore: 50, podInitialBackoffSeconds: 2 });
    const [packing, usual] = scheduler.profiles;
    expect(packing).toMatchObject({ schedulerName: 'packing', percentageOfNodesToScore: 70 });
    expect(packing!.args.NodeResourcesFit.scoringStrategy).toEqual({
      type: 'MostAllocated',
      resources: [
        { name: 'cpu', weight: 1 },
        { name: 'example.com/gpu', weight: 5 },
      ],
    });
    expect(usual!.args.NodeResourcesFit.scoringStrategy.type).toBe('LeastAllocated');
  });

  test('A scheduler configuration leaves resources that an extender counts to it', () => {
    const managedResources = [{ name: 'example.com/gpu', ignoredByScheduler: true }, { name: 'example.com/other' }];
    const { scheduler } = load({ extenders: [{ urlPrefix: 'http://x', filterVerb: 'filter', managedResources }] });
    expect(scheduler.profiles[0]!.args.NodeResourcesFit.ignoredResources).toEqual(['example.com/gpu']);
    expect(scheduler.extenders).toMatchObject([{ filterVerb: 'filter', timeoutMs: 5000, weight: 0, ignorable: false }]);
    const { scheduler: hasty } = load({ extenders: [{ urlPrefix: 'http://x', httpTimeout: '300ms' }] });
    expect(hasty.extenders).toMatchObject([{ timeoutMs: 300 }]);
  });
});

describe('plugins by extension point', () => {
  const byDefault = withPlugins({});
  const names = (plugins: readonly { readonly name: string }[]): string[] => plugins.map(({ name }) => name);

  test('Plugins by extension point are the default ones in their order', () => {
    expect(names(byDefault.filter)).toEqual([
      'NodeUnschedulable',
      'NodeName',
      'TaintToleration',
      'NodeAffinity',
      'NodePorts',
      'NodeResourcesFit',
      'VolumeRestrictions',
      'NodeVolumeLimits',
      'VolumeBinding',
      'VolumeZone',
      'PodTopologySpread',
      'InterPodAffinity',
    ]);
    expect(byDefault.score.map(({ name, weight }) => `${name} ${weight}`)).toEqual([
      'TaintToleration 3',
      'NodeAffinity 2',
      'NodeResourcesFit 1',
      'PodTopologySpread 2',
      'InterPodAffinity 2',
      'NodeResourcesBalancedAllocation 1',
      'ImageLocality 1',
    ]);
  });

  test('Plugins by extension point can be disabled at one point', () => {
    const { score, filter } = withPlugins({ score: { disabled: [{ name: 'NodeAffinity' }] } });
    expect(names(score)).not.toContain('NodeAffinity');
    expect(filter).toEqual(byDefault.filter);
  });

  test('Plugins by extension point can be disabled at all points', () => {
    const plugins = withPlugins({ multiPoint: { disabled: [{ name: 'InterPodAffinity' }] } });
    for (const point of extensionPointNames) expect(names(plugins[point])).not.toContain('InterPodAffinity');
  });

  test('Plugins by extension point can be disabled altogether at a point, but for some', () => {
    const { score } = withPlugins({
      score: { disabled: [{ name: '*' }], enabled: [{ name: 'ImageLocality', weight: 7 }] },
    });
    expect(score).toEqual([{ name: 'ImageLocality', weight: 7 }]);
  });

  test('Plugins by extension point get another weight at a point, where they come first', () => {
    const { score } = withPlugins({ score: { enabled: [{ name: 'ImageLocality', weight: 9 }] } });
    expect(score[0]).toEqual({ name: 'ImageLocality', weight: 9 });
    expect(score).toHaveLength(byDefault.score.length);
  });

  test('Plugins by extension point get another weight in their place', () => {
    const { score } = withPlugins({ multiPoint: { enabled: [{ name: 'NodeAffinity', weight: 9 }] } });
    expect(score[1]).toEqual({ name: 'NodeAffinity', weight: 9 });
    expect(names(score)).toEqual(names(byDefault.score));
  });
});

describe('what is wrong', () => {
  const extended = (extender: object) => load({ extenders: [extender] });
  const spread = (constraint: object) =>
    withArgs('PodTopologySpread', { defaultingType: 'List', defaultConstraints: [constraint] });
  const shaped = (...shape: object[]) =>
    withArgs('NodeResourcesFit', {
      scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } },
    });
  const gate = 'unexpected field `shape`, remove it or turn on the feature gate VolumeCapacityPriority';
  test.each<{ name: string; read: () => unknown; message: string }>([
    {
      name: 'another version',
      read: () => load({ apiVersion: 'kubescheduler.config.k8s.io/v1beta3' }),
      message:
        'apiVersion: Unsupported value: "kubescheduler.config.k8s.io/v1beta3": supported values: ' +
        '"kubescheduler.config.k8s.io/v1", "kubescheduler.config.orch.io/v1"',
    },
    { name: 'no kind', read: () => load({ kind: '' }), message: 'kind: Required value' },
    { name: 'a field that is not known', read: () => load({ foo: 1 }), message: 'foo: Forbidden: unknown field' },
    {
      name: 'a field of another type',
      read: () => load({ parallelism: 'many' }),
      message: 'parallelism: Invalid value: "many": must be an integer',
    },
    {
      name: 'no thread',
      read: () => load({ parallelism: 0 }),
      message: 'parallelism: Invalid value: 0: should be an integer value greater than zero',
    },
    {
      name: 'more than all nodes',
      read: () => load({ percentageOfNodesToScore: 101 }),
      message: 'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]',
    },
    {
      name: 'no back-off',
      read: () => load({ podInitialBackoffSeconds: 0 }),
      message: 'podInitialBackoffSeconds: Invalid value: 0: must be greater than 0',
    },
    {
      name: 'a limit below the first back-off',
      read: () => load({ podMaxBackoffSeconds: 0 }),
      message: 'podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds',
    },
    { name: 'no profile', read: () => load({ profiles: [] }), message: 'profiles: Required value' },
    {
      name: 'a profile without name among others',
      read: () => load({ profiles: [{ schedulerName: 'a' }, {}] }),
      message: 'profiles[1].schedulerName: Required value',
    },
    {
      name: 'two profiles of one name',
      read: () => load({ profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] }),
      message: 'profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"',
    },
    {
      name: 'a plugin that does not exist',
      read: () => withPlugins({ filter: { enabled: [{ name: 'Foo' }] } }),
      message: 'profiles[0].plugins.filter.enabled[0]: Invalid value: "Foo": plugin "Foo" does not exist',
    },
    {
      name: 'a plugin at a point that it does not have',
      read: () => withPlugins({ score: { enabled: [{ name: 'NodeName' }] } }),
      message:
        'profiles[0].plugins.score.enabled[0]: Invalid value: "NodeName": plugin "NodeName" does not ' +
        'extend score plugin',
    },
    {
      name: 'no order of the queue',
      read: () => withPlugins({ queueSort: { disabled: [{ name: '*' }] } }),
      message:
        'profiles[0].plugins.queueSort: Invalid value: 0: only one queue sort plugin required for ' +
        'profile with scheduler name "default-scheduler", but got 0',
    },
    {
      name: 'nothing that binds',
      read: () => withPlugins({ multiPoint: { disabled: [{ name: 'DefaultBinder' }] } }),
      message:
        'profiles[0].plugins.bind: Invalid value: 0: at least one bind plugin is needed for profile with ' +
        'scheduler name "default-scheduler"',
    },
    {
      name: 'a lock that is none',
      read: () => load({ leaderElection: { resourceLock: 'endpoints' } }),
      message: 'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
    },
    // arguments
    {
      name: 'arguments of another plugin',
      read: () => withArgs('InterPodAffinity', { kind: 'NodeAffinityArgs' }),
      message: 'profiles[0].pluginConfig[0].args: Invalid value: "NodeAffinityArgs": has to match plugin args',
    },
    {
      name: 'arguments given twice',
      read: () => load({ profiles: [{ pluginConfig: [{ name: 'a' }, { name: 'a' }] }] }),
      message: 'profiles[0].pluginConfig[1]: Duplicate value: "a"',
    },
    {
      name: 'no candidates',
      read: () => withArgs('DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }),
      message:
        '[profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero ' +
        'at the same time as minCandidateNodesAbsolute, ' +
        'profiles[0].pluginConfig[0].args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at ' +
        'the same time as minCandidateNodesPercentage]',
    },
    {
      name: 'a weight beyond the limit',
      read: () => withArgs('InterPodAffinity', { hardPodAffinityWeight: 101 }),
      message:
        'profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]',
    },
    {
      name: 'a strategy that does not exist',
      read: () => withArgs('NodeResourcesFit', { scoringStrategy: { type: 'Best' } }),
      message:
        'profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Best": supported ' +
        'values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
    },
    {
      name: 'a shape without points',
      read: () => shaped(),
      message:
        'profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape: Required ' +
        'value: at least one point must be specified',
    },
    {
      name: 'a shape that goes back',
      read: () => shaped({ utilization: 50, score: 1 }, { utilization: 40, score: 2 }),
      message:
        'profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: ' +
        'Invalid value: 40: values must be sorted in increasing order',
    },
    {
      name: 'a resource whose weight must be one',
      read: () => withArgs('NodeResourcesBalancedAllocation', { resources: [{ name: 'cpu', weight: 2 }] }),
      message: 'profiles[0].pluginConfig[0].args.resources[0].weight: Invalid value: 2: must be 1',
    },
    {
      name: 'a system default with constraints',
      read: () =>
        withArgs('PodTopologySpread', {
          defaultConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }],
        }),
      message:
        'profiles[0].pluginConfig[0].args.defaultingType: Invalid value: "System": when ' +
        '.defaultConstraints are not empty',
    },
    {
      name: 'a constraint with a selector',
      read: () => spread({ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }),
      message:
        'profiles[0].pluginConfig[0].args.defaultConstraints[0].labelSelector: Forbidden: constraint ' +
        'must not define a selector, as they deduced for each pod',
    },
    {
      name: 'a constraint without key',
      read: () => spread({ maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }),
      message: 'profiles[0].pluginConfig[0].args.defaultConstraints[0].topologyKey: Required value: can not be empty',
    },
    {
      name: 'a negative time limit',
      read: () => withArgs('VolumeBinding', { bindTimeoutSeconds: -1 }),
      message:
        'profiles[0].pluginConfig[0].args.bindTimeoutSeconds: Invalid value: -1: invalid ' +
        'BindTimeoutSeconds, should not be a negative value',
    },
    {
      name: 'a shape behind a gate',
      read: () => withArgs('VolumeBinding', { shape: [] }),
      message: `profiles[0].pluginConfig[0].args.shape: Forbidden: ${gate}`,
    },
    // extenders
    {
      name: 'an extender that scores without weight',
      read: () => extended({ prioritizeVerb: 'score' }),
      message: 'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
    },
    {
      name: 'two extenders that bind',
      read: () => load({ extenders: [{ bindVerb: 'bind' }, { bindVerb: 'bind' }] }),
      message:
        'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can ' + 'implement bind',
    },
    {
      name: 'a managed resource that is not extended',
      read: () => extended({ managedResources: [{ name: 'kubernetes.io/foo' }] }),
      message:
        'extenders[0].managedResources[0].name: Invalid value: "kubernetes.io/foo": is an invalid ' +
        'extended resource name',
    },
  ])('What is wrong in a scheduler configuration: $name', ({ read, message }) => expect(messageOf(read)).toBe(message));
});
