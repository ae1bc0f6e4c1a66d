import { describe, expect, test } from 'vitest';
import { validateApiServerOptions } from './validate.ts';
import { usesWatchCache } from './watch-cache-sizes.ts';
import { refusedFlags } from './testing/refused-flags.ts';
import { parse } from './testing/parse.ts';

const problemsOf = (...argv: string[]): string[] => {
  const { options, given } = parse(argv);
  return validateApiServerOptions(options, given);
};

describe('validateApiServerOptions', () => {
  test.each(refusedFlags)('validateApiServerOptions: $argv', ({ argv, problems }) => {
    expect(problemsOf(...argv)).toEqual(problems);
  });

  test.each([
    { name: 'the defaults', argv: [] },
    {
      name: 'etcd by https, host name, IPv6 and without a scheme',
      argv: [
        '--store-servers=https://etcd-0:2379,http://[::1]:2379,127.0.0.1:2379',
        '--store-servers-overrides=/events#http://a:1;http://b:2,apps/deployments#c:1',
      ],
    },
    {
      name: 'every media type, the product spelling too',
      argv: ['--storage-media-type=application/vnd.orch.protobuf'],
    },
    { name: 'dual stack', argv: ['--service-cluster-ip-range=fd00::/108,10.0.0.0/16', '--advertise-address=fd00::1'] },
    {
      name: 'intervals switched off',
      argv: [
        '--event-loop-stall-threshold=0',
        '--store-compaction-interval=0',
        '--store-count-metric-poll-period=0s',
        '--store-db-metric-poll-interval=0',
      ],
    },
    {
      name: 'families that do not match when the endpoint reconciler is off',
      argv: ['--advertise-address=fd00::1', '--endpoint-reconciler-type=none'],
    },
    {
      name: 'plugins that run, in any order, and ones not to run that do not',
      argv: [
        '--enable-admission-plugins=ResourceQuota,LimitRanger',
        '--disable-admission-plugins=ServiceAccount,Priority',
      ],
    },
    { name: 'a node port for the kubernetes service', argv: ['--kubernetes-service-node-port=30443'] },
  ])('validateApiServerOptions accepts $name', ({ argv }) => {
    expect(problemsOf(...argv)).toEqual([]);
  });
});

test.each([
  { name: 'on by default', argv: [], group: 'apps', resource: 'deployments', on: true },
  {
    name: 'off for all',
    argv: ['--watch-cache=false', '--watch-cache-sizes=deployments.apps#100'],
    group: 'apps',
    resource: 'deployments',
    on: false,
  },
  {
    name: 'off for one resource of a group',
    argv: ['--watch-cache-sizes=deployments.apps#0'],
    group: 'apps',
    resource: 'deployments',
    on: false,
  },
  {
    name: 'on for the others',
    argv: ['--watch-cache-sizes=deployments.apps#0'],
    group: '',
    resource: 'deployments',
    on: true,
  },
  {
    name: 'off for one core resource',
    argv: ['--watch-cache-sizes=pods#0,events#100'],
    group: '',
    resource: 'pods',
    on: false,
  },
  {
    name: 'on with any other size',
    argv: ['--watch-cache-sizes=pods#0,pods#100'],
    group: '',
    resource: 'pods',
    on: true,
  },
])('usesWatchCache: $name', ({ argv, group, resource, on }) => {
  expect(usesWatchCache(parse(argv).options.storage, group, resource)).toBe(on);
});
