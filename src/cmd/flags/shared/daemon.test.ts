import { describe, expect, test } from 'vitest';
import { section } from '../flag.ts';
import { parseFlags } from '../parse.ts';
import { clientConnectionFlags, masterUrl, rateLimits } from './client-connection.ts';
import { daemonProblems, daemonSections } from './daemon.ts';
import { daemonGates, expandGates, featureGatesFlag, gateWarnings } from './feature-gates.ts';

const sections = {
  ...daemonSections({
    securePort: 10299,
    pairName: 'daemon',
    lock: { namespace: 'ns', name: 'daemon' },
    tolerateLookupFailure: true,
  }),
  client: section('API access', { ...clientConnectionFlags(), featureGates: featureGatesFlag(daemonGates) }),
};

function problems(argv: readonly string[]): readonly unknown[] {
  const { options, given } = parseFlags(sections, argv);
  const gates = expandGates(options.client.featureGates, daemonGates);
  return daemonProblems(options, gates, (name) => given.get(name) ?? `--${name}`).filter(
    (problem) => typeof problem === 'string',
  );
}

describe('the flags that all daemons have', () => {
  test('The flags that all daemons have have the defaults of the daemon, and those of upstream', () => {
    const { options } = parseFlags(sections, []);
    expect(options.leaderElection).toEqual({
      leaderElect: true,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      resourceLock: 'leases',
      resourceName: 'daemon',
      resourceNamespace: 'ns',
    });
    expect(options.client).toMatchObject({ qps: 20, burst: 30, contentType: 'application/vnd.kubernetes.protobuf' });
    expect(options.serving).toMatchObject({ securePort: 10299, certDir: '' });
    expect(options.authentication).toMatchObject({
      skipLookup: false,
      tolerateLookupFailure: true,
      tokenCacheTtlMs: 10_000,
      requestHeaderUsernameHeaders: ['x-remote-user'],
      requestHeaderGroupHeaders: ['x-remote-group'],
      requestHeaderExtraHeaderPrefixes: ['x-remote-extra-'],
    });
    expect(options.authorization).toMatchObject({
      alwaysAllowPaths: ['/healthz', '/readyz', '/livez'],
      authorizedTtlMs: 10_000,
      unauthorizedTtlMs: 10_000,
    });
    expect(options.debugging.profiling).toBe(true);
    expect(problems([])).toEqual([]);
  });

  test.each([
    { argv: ['--leader-elect-lease-duration=0'], says: ['must be greater than zero', 'must be greater than'] },
    { argv: ['--leader-elect-renew-deadline=0'], says: ['must be greater than zero', 'times 1.2'] },
    { argv: ['--leader-elect-retry-period=0'], says: ['--leader-elect-retry-period must be greater than zero'] },
    {
      argv: ['--leader-elect-renew-deadline=15s'],
      says: ['--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline'],
    },
    {
      argv: ['--leader-elect-retry-period=9s'],
      says: ['--leader-elect-renew-deadline must be greater than --leader-elect-retry-period times 1.2'],
    },
    {
      argv: [
        '--leader-elect-lease-duration=900ms',
        '--leader-elect-renew-deadline=600ms',
        '--leader-elect-retry-period=100ms',
      ],
      says: ['--leader-elect-lease-duration must be at least 1s: leases are counted in seconds'],
    },
    { argv: ['--leader-elect-resource-lock=x'], says: ['--leader-elect-resource-lock "x" invalid, allowed values: '] },
    { argv: ['--leader-elect-resource-name='], says: ['--leader-elect-resource-name must not be empty'] },
    { argv: ['--leader-elect-resource-namespace='], says: ['--leader-elect-resource-namespace must not be empty'] },
    { argv: ['--leader-elect=false', '--leader-elect-lease-duration=0'], says: [] },
    { argv: ['--leader-elect-resource-lock=endpointsleases'], says: [] },
    { argv: ['--secure-port=65536'], says: ['--secure-port 65536 must be between 0 and 65535, inclusive. 0 for'] },
    { argv: ['--secure-port=0'], says: [] },
    { argv: ['--kube-api-burst=-1'], says: ['--kube-api-burst must be non-negative'] },
    { argv: ['--kube-api-qps=-1'], says: [] },
    { argv: ['--kube-api-content-type=text/xml'], says: ['--kube-api-content-type "text/xml" invalid, allowed'] },
    { argv: ['--kube-api-content-type=application/vnd.orch.protobuf'], says: [] },
    { argv: ['--master=a b'], says: ['--master "a b" invalid, must be the URL, or host and port, of an API server'] },
    { argv: ['--authorization-always-allow-paths=/a*b'], says: ['only trailing * allowed in "/a*b"'] },
    { argv: ['--authorization-always-allow-paths=/a*,*'], says: [] },
    {
      argv: ['--requestheader-uid-headers=x-remote-uid'],
      says: ['--requestheader-uid-headers requires the "RemoteRequestHeaderUID" feature to be enabled'],
    },
    { argv: ['--requestheader-uid-headers=x', '--feature-gates=RemoteRequestHeaderUID=true'], says: [] },
    { argv: ['--requestheader-group-headers= '], says: ['empty value in "requestheader-group-headers"'] },
    { argv: ['--log-text-info-buffer-size=-1'], says: ['--log-text-info-buffer-size can not be negative value'] },
    { argv: ['--event-loop-stall-threshold=1ms'], says: ['--event-loop-stall-threshold must be 0, or at least'] },
    {
      argv: ['--show-hidden-metrics-for-version=1.2'],
      says: ["--show-hidden-metrics-for-version must be omitted or have the value '1.31'"],
    },
  ])('The flags that all daemons have: $argv: $says', ({ argv, says }) => {
    expect(problems(argv)).toEqual(says.map((text) => expect.stringContaining(text) as string));
  });

  test.each([
    { given: { qps: 20, burst: 30 }, limits: { qps: 20, burst: 30 } },
    { given: { qps: 0, burst: 0 }, limits: { qps: 5, burst: 10 } },
    { given: { qps: -1, burst: 30 }, limits: { qps: -1, burst: 30 } },
  ])('Limits of $given are $limits', ({ given, limits }) => {
    expect(rateLimits(given)).toEqual(limits);
  });

  test.each([
    { master: 'https://a:1/', url: 'https://a:1' },
    { master: 'a:1', url: 'https://a:1' },
    { master: 'http://127.0.0.1:8080', url: 'http://127.0.0.1:8080' },
    { master: 'https://', url: undefined },
  ])('--master=$master is $url', ({ master, url }) => {
    expect(masterUrl(master)).toBe(url);
  });
});

describe('the feature gates of daemons', () => {
  const gatesOf = (text: string) => parseFlags(sections, [`--feature-gates=${text}`]).options.client.featureGates;

  test('The feature gates of daemons are those of the API and those of the daemons, none of which is refused', () => {
    for (const [gate, { default: isOn, locked }] of Object.entries(daemonGates.gates))
      if (locked !== true) expect(gatesOf(`${gate}=${!isOn}`)).toEqual({ [gate]: !isOn });
    expect(gateWarnings({ AllAlpha: true }, daemonGates)).toEqual([]);
  });

  test('The feature gates of daemons follow their stage', () => {
    const gates = expandGates({ AllAlpha: true, AllBeta: false, SchedulerQueueingHints: true }, daemonGates);
    expect(gates).toMatchObject({
      InformerResourceVersion: true,
      SeparateTaintEvictionController: false,
      SchedulerQueueingHints: true,
      MultiCIDRServiceAllocator: false,
    });
  });
});
