import { describe, expect, test } from 'vitest';
import { FlagError, flagsOf, parseFlags } from '../parse.ts';
import { emptyDocument, formatDocument, parseDocument } from './document.ts';
import { completeScheduler } from './options.ts';
import { schedulerFlags } from './table.ts';
import { repeatedNames, unexplained } from '../testing/table-checks.ts';

const document = (more: object = {}): string =>
  JSON.stringify({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', ...more });

function complete(argv: readonly string[], text?: string, program = 'scheduler') {
  const { options, given } = parseFlags(schedulerFlags, argv);
  return completeScheduler(options, given, program, text === undefined ? undefined : parseDocument(text).process);
}

test('What a document says of the connection to the API server is how it is reached', () => {
  const clientConnection = {
    kubeconfig: '/etc/kubeconfig',
    acceptContentTypes: 'application/json',
    contentType: 'application/vnd.kubernetes.protobuf',
    qps: 7,
    burst: 9,
  };
  expect(complete([], document({ clientConnection })).daemon.client).toEqual({
    ...clientConnection,
    master: undefined,
  });
});

describe('the flags of the scheduler', () => {
  const flags = flagsOf(schedulerFlags);

  test('The flags of the scheduler are those of kube-scheduler 1.32, none of which is refused', () => {
    const names = flags.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(repeatedNames(schedulerFlags)).toEqual([]);
    expect(flags.filter(({ support }) => support === 'unsupported')).toEqual([]);
    expect(flags.filter(({ support }) => support === 'ignored').map(({ name }) => name)).toEqual(['vmodule']);
    const own = ['event-loop-stall-threshold', 'requestheader-uid-headers'];
    expect(names.filter((name) => !own.includes(name)).sort()).toEqual([
      'allow-metric-labels',
      'allow-metric-labels-manifest',
      'authentication-kubeconfig',
      'authentication-skip-lookup',
      'authentication-token-webhook-cache-ttl',
      'authentication-tolerate-lookup-failure',
      'authorization-always-allow-paths',
      'authorization-kubeconfig',
      'authorization-webhook-cache-authorized-ttl',
      'authorization-webhook-cache-unauthorized-ttl',
      'bind-address',
      'cert-dir',
      'client-ca-file',
      'config',
      'contention-profiling',
      'disable-http2-serving',
      'disabled-metrics',
      'emulated-version',
      'feature-gates',
      'help',
      'http2-max-streams-per-connection',
      'kube-api-burst',
      'kube-api-content-type',
      'kube-api-qps',
      'kubeconfig',
      'leader-elect',
      'leader-elect-lease-duration',
      'leader-elect-renew-deadline',
      'leader-elect-resource-lock',
      'leader-elect-resource-name',
      'leader-elect-resource-namespace',
      'leader-elect-retry-period',
      'log-flush-frequency',
      'log-json-info-buffer-size',
      'log-json-split-stream',
      'log-text-info-buffer-size',
      'log-text-split-stream',
      'logging-format',
      'master',
      'permit-address-sharing',
      'permit-port-sharing',
      'pod-max-in-unschedulable-pods-duration',
      'profiling',
      'requestheader-allowed-names',
      'requestheader-client-ca-file',
      'requestheader-extra-headers-prefix',
      'requestheader-group-headers',
      'requestheader-username-headers',
      'secure-port',
      'show-hidden-metrics-for-version',
      'tls-cert-file',
      'tls-cipher-suites',
      'tls-min-version',
      'tls-private-key-file',
      'tls-sni-cert-key',
      'v',
      'version',
      'vmodule',
      'write-config-to',
    ]);
  });

  test('The flags of the scheduler are explained, each in the help', () => {
    expect(unexplained(schedulerFlags)).toEqual([]);
  });

  test('The flags of the scheduler have the defaults of kube-scheduler', () => {
    const { daemon, podMaxInUnschedulableMs } = complete([]);
    expect(daemon).toMatchObject({
      serving: { securePort: 10259 },
      client: { qps: 50, burst: 100 },
      authentication: { tolerateLookupFailure: true },
    });
    expect(podMaxInUnschedulableMs).toBe(300_000);
  });

  test.each([
    { argv: [], program: 'scheduler', text: undefined, lock: 'orch-system/scheduler' },
    { argv: [], program: 'kube-scheduler', text: undefined, lock: 'kube-system/kube-scheduler' },
    {
      argv: ['--leader-elect-resource-name=kube-scheduler'],
      program: 'scheduler',
      text: undefined,
      lock: 'kube-system/kube-scheduler',
    },
    { argv: [], program: 'scheduler', text: document(), lock: 'kube-system/kube-scheduler' },
    {
      argv: ['--leader-elect-resource-name=other'],
      program: 'scheduler',
      text: document({ leaderElection: { resourceName: 'mine', resourceNamespace: 'ns' } }),
      lock: 'ns/other',
    },
  ])('The lock of $program $argv with $text is $lock', ({ argv, program, text, lock }) => {
    const { resourceNamespace, resourceName } = complete(argv, text, program).daemon.leaderElection;
    expect(`${resourceNamespace}/${resourceName}`).toBe(lock);
  });

  test('The flags of the scheduler are refused where a value makes no sense', () => {
    expect(() => complete(['--pod-max-in-unschedulable-pods-duration=-1s'])).toThrow(FlagError);
    expect(() => complete(['--leader-elect-lease-duration=1s'], document())).toThrow(
      '--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline',
    );
  });
});

describe('a KubeSchedulerConfiguration', () => {
  test('A KubeSchedulerConfiguration decides in place of the flags, but for those of leader election', () => {
    const text = document({
      clientConnection: { kubeconfig: '/doc', qps: 7, burst: 8, contentType: 'application/json' },
      leaderElection: { leaderElect: false, leaseDuration: '30s', renewDeadline: '20s', retryPeriod: '3s' },
      enableProfiling: false,
      enableContentionProfiling: false,
    });
    const { daemon, warnings } = complete(
      ['--kubeconfig=/flag', '--kube-api-qps=1', '--profiling', '--leader-elect-retry-period=4s', '--master=https://m'],
      text,
    );
    expect(daemon.client).toEqual({
      kubeconfig: '/doc',
      qps: 7,
      burst: 8,
      contentType: 'application/json',
      master: 'https://m',
    });
    expect(daemon.leaderElection).toMatchObject({
      leaderElect: false,
      leaseDurationMs: 30_000,
      renewDeadlineMs: 20_000,
      retryPeriodMs: 4000,
    });
    expect(daemon.debugging).toMatchObject({ profiling: false, contentionProfiling: false });
    expect(warnings).toEqual([
      '--kubeconfig is ignored: the file of --config decides',
      '--kube-api-qps is ignored: the file of --config decides',
      '--profiling is ignored: the file of --config decides',
    ]);
  });

  test('A KubeSchedulerConfiguration whose parallelism is not the usual one is warned of', () => {
    const warning = 'parallelism in the file of --config has no effect: nodes are looked at in one thread';
    expect(complete([], document({ parallelism: 4 })).warnings).toEqual([warning]);
    expect(complete([], document({ parallelism: 16 })).warnings).toEqual([]);
  });

  test('A KubeSchedulerConfiguration that is wrong is refused', () => {
    expect(() => parseDocument('[]')).toThrow();
    expect(() => parseDocument(document({ parallelism: 0 }))).toThrow('should be an integer value greater than zero');
  });

  test('A KubeSchedulerConfiguration is the same when it is written and read again', () => {
    const given = parseDocument(
      document({
        parallelism: 4,
        podMaxBackoffSeconds: 20,
        profiles: [
          { schedulerName: 'a', pluginConfig: [{ name: 'InterPodAffinity', args: { hardPodAffinityWeight: 5 } }] },
        ],
      }),
    );
    expect(parseDocument(JSON.stringify(formatDocument(given)))).toEqual(given);
    expect(formatDocument(emptyDocument())).toMatchObject({
      clientConnection: { qps: 50, burst: 100 },
      leaderElection: { leaseDuration: '15s', resourceName: 'kube-scheduler', resourceNamespace: 'kube-system' },
      parallelism: 16,
      profiles: [{ schedulerName: 'default-scheduler' }],
    });
  });
});
