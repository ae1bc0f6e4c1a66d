import { describe, expect, test } from 'vitest';
import { flagsOf, parseFlags } from '../parse.ts';
import { repeatedNames, unexplained } from '../testing/table-checks.ts';
import { agentFlags } from './agent.ts';

/** Those of kubelet 1.32, without those that its libraries add for other programs. */
const upstream = `address allowed-unsafe-sysctls anonymous-auth authentication-token-webhook
authentication-token-webhook-cache-ttl authorization-mode authorization-webhook-cache-authorized-ttl
authorization-webhook-cache-unauthorized-ttl bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root cgroups-per-qos
client-ca-file cloud-provider cluster-dns cluster-domain config config-dir container-log-max-files
container-log-max-size container-runtime-endpoint contention-profiling cpu-cfs-quota cpu-cfs-quota-period
cpu-manager-policy cpu-manager-policy-options cpu-manager-reconcile-period enable-controller-attach-detach
enable-debugging-handlers enable-server enforce-node-allocatable event-burst event-qps eviction-hard
eviction-max-pod-grace-period eviction-minimum-reclaim eviction-pressure-transition-period eviction-soft
eviction-soft-grace-period exit-on-lock-contention experimental-allocatable-ignore-eviction experimental-mounter-path
fail-cgroupv1 fail-swap-on feature-gates file-check-frequency hairpin-mode healthz-bind-address healthz-port help
hostname-override http-check-frequency image-credential-provider-bin-dir image-credential-provider-config
image-gc-high-threshold image-gc-low-threshold image-service-endpoint iptables-drop-bit iptables-masquerade-bit
keep-terminated-pod-volumes kernel-memcg-notification kube-api-burst kube-api-content-type kube-api-qps kube-reserved
kube-reserved-cgroup kubeconfig kubelet-cgroups local-storage-capacity-isolation lock-file log-flush-frequency
log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size log-text-split-stream logging-format
make-iptables-util-chains manifest-url manifest-url-header max-open-files max-pods maximum-dead-containers
maximum-dead-containers-per-container memory-manager-policy minimum-container-ttl-duration minimum-image-ttl-duration
node-ip node-labels node-status-max-images node-status-update-frequency oom-score-adj pod-cidr
pod-infra-container-image pod-manifest-path pod-max-pids pods-per-core port protect-kernel-defaults provider-id
qos-reserved read-only-port register-node register-schedulable register-with-taints registry-burst registry-qps
reserved-cpus reserved-memory resolv-conf root-dir rotate-certificates rotate-server-certificates runonce
runtime-cgroups runtime-request-timeout seccomp-default serialize-image-pulls show-hidden-metrics-for-version
streaming-connection-idle-timeout sync-frequency system-cgroups system-reserved system-reserved-cgroup tls-cert-file
tls-cipher-suites tls-min-version tls-private-key-file topology-manager-policy topology-manager-policy-options
topology-manager-scope v version vmodule volume-plugin-dir volume-stats-agg-period`.split(/\s+/);

describe('the flags of a node agent', () => {
  test('The flags of a node agent are those of kubelet 1.32', () => {
    const names = flagsOf(agentFlags).map(({ name }) => name);
    expect(names.filter((name) => name !== 'event-loop-stall-threshold').sort()).toEqual([...upstream].sort());
    expect(repeatedNames(agentFlags)).toEqual([]);
  });

  test('No flag of a node agent is refused for having no effect', () => {
    expect(flagsOf(agentFlags).filter(({ support }) => support === 'unsupported')).toEqual([]);
  });

  test('The flags of a node agent are explained, each in the help', () => {
    expect(unexplained(agentFlags)).toEqual([]);
  });

  test.each<{ argv: string[]; group: 'serving' | 'node' | 'resources'; field: string; value: unknown }>([
    { argv: ['--anonymous-auth=false'], group: 'serving', field: 'authentication.anonymous.enabled', value: false },
    { argv: [], group: 'serving', field: 'readOnlyPort', value: 10255 },
    {
      argv: ['--tls-cipher-suites=a,b', '--tls-cipher-suites=c'],
      group: 'serving',
      field: 'tlsCipherSuites',
      value: ['a', 'b', 'c'],
    },
    { argv: ['--node-status-update-frequency=1m5s'], group: 'node', field: 'nodeStatusUpdateFrequency', value: 65_000 },
    {
      argv: ['--eviction-hard=memory.available<1Gi', '--eviction-hard=nodefs.available<5%'],
      group: 'resources',
      field: 'evictionHard',
      value: { 'memory.available': '1Gi', 'nodefs.available': '5%' },
    },
    { argv: ['--eviction-hard='], group: 'resources', field: 'evictionHard', value: {} },
    {
      argv: ['--kube-reserved', 'cpu=1,memory=2Gi'],
      group: 'resources',
      field: 'kubeReserved',
      value: { cpu: '1', memory: '2Gi' },
    },
  ])('The flags of a node agent: $argv says $value for $field', ({ argv, group, field, value }) => {
    expect(parseFlags(agentFlags, argv).options[group][field]).toEqual(value);
  });

  test.each([
    { argv: ['--eviction-hard=memory'], message: 'malformed pair, expect string<string' },
    { argv: ['--register-with-taints=a=b'], message: 'invalid taint spec: a=b' },
    { argv: ['--address=here'], message: 'failed to parse IP: "here"' },
  ])('The flags of a node agent: $argv is refused', ({ argv, message }) => {
    expect(() => parseFlags(agentFlags, argv)).toThrow(message);
  });
});
