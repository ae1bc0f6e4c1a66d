/**
 * What `--admission-control-config-file` says, read and judged: a member per plugin that has a configuration. A plugin
 * without one takes its defaults.
 *
 * All of it can be cloned, because the thread for large requests gets it too.
 */
import type { ScopedResourceSelectorRequirement, Toleration } from '../../../api/gen/types/core-v1.ts';
import type { Kubeconfig } from '../../../client/kubeconfig/merge.ts';
import type { PolicyDefaults } from '../pod-security/policy.ts';

export interface PluginConfiguration {
  readonly podSecurity?: PodSecurityConfiguration;
  readonly resourceQuota?: readonly LimitedResource[];
  readonly eventRateLimit?: readonly EventLimit[];
  readonly imagePolicy?: ImagePolicyConfiguration;
  readonly podNodeSelector?: PodNodeSelectorConfiguration;
  readonly podTolerationRestriction?: PodTolerationConfiguration;
  /** Users that are named after servers of webhooks: host, host and port, `*.domain`, or `*`. */
  readonly mutatingWebhookKubeconfig?: Kubeconfig;
  readonly validatingWebhookKubeconfig?: Kubeconfig;
}

export interface PodSecurityConfiguration {
  readonly defaults: PolicyDefaults;
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

/** Uses of a resource that need a quota which covers them. */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  /** Parts of names under which a quota counts, such as `.storageclass.storage.k8s.io/requests.storage`. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly ScopedResourceSelectorRequirement[];
}

export interface EventLimit {
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject';
  /** Events per second. */
  readonly qps: number;
  readonly burst: number;
  /** Most keys whose events are counted at once. */
  readonly cacheSize: number;
}

export interface ImagePolicyConfiguration {
  /** Absolute. */
  readonly kubeConfigFile: string;
  /** How long an answer counts; 0: it is not kept. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  /** What counts where the backend gives no answer. */
  readonly defaultAllow: boolean;
}

export interface PodNodeSelectorConfiguration {
  /** `k=v,k=v` for namespaces without an annotation. */
  readonly clusterDefault: string | undefined;
  /** By namespace: the labels that its pods may select. */
  readonly allowed: Readonly<Record<string, string>>;
}

export interface PodTolerationConfiguration {
  readonly default: readonly Toleration[];
  readonly whitelist: readonly Toleration[];
}
