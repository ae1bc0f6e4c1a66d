/** Reads the configuration documents of admission plugins. Each function throws an Error that says what is wrong. */
import { checkTolerations } from '../../../api/core/pods/tolerations.ts';
import type { ScopedResourceSelectorRequirement, Toleration } from '../../../api/gen/types/core-v1.ts';
import { formatDuration } from '../../../machinery/duration.ts';
import {
  aggregateText,
  duplicate,
  type FieldError,
  fieldErrorText,
  invalid,
  notSupported,
  required,
} from '../../../machinery/field-error.ts';
import { FieldErrors, gathered } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goNames } from '../../../machinery/go-quote.ts';
import { labelsOf } from '../pod-node-selector.ts';
import { decodeDocument, decodeUntyped } from './decode-document.ts';
import type {
  EventLimit,
  ImagePolicyConfiguration,
  LimitedResource,
  PodNodeSelectorConfiguration,
  PodTolerationConfiguration,
} from './plugin-configuration.ts';

const serverVersions = ['apiserver.config.k8s.io/v1'];

const webhookKinds = [
  { kind: 'WebhookAdmissionConfiguration', apiVersions: serverVersions },
  { kind: 'WebhookAdmission', apiVersions: ['apiserver.config.k8s.io/v1alpha1'] },
].map((kind) => ({ ...kind, typeId: 'webhookadmission/v1.WebhookAdmission' }));

/** @returns the file with credentials for webhooks */
export function readWebhookAdmission(text: string): string {
  const { kubeConfigFile = '' } = decodeDocument<{ readonly kubeConfigFile?: string }>(text, webhookKinds);
  if (!kubeConfigFile.startsWith('/'))
    throw errorOf([invalid(FieldPath.of('kubeConfigFile'), kubeConfigFile, 'must be an absolute file path')]);
  return kubeConfigFile;
}

const quotaKinds = [
  { kind: 'ResourceQuotaConfiguration', apiVersions: serverVersions },
  { kind: 'Configuration', apiVersions: ['v1beta1', 'v1alpha1'].map((v) => `resourcequota.admission.k8s.io/${v}`) },
].map((kind) => ({ ...kind, typeId: 'resourcequota/v1.Configuration' }));

export function readResourceQuotaConfiguration(text: string): readonly LimitedResource[] {
  const { limitedResources = [] } = decodeDocument<{ readonly limitedResources?: readonly Partial<LimitedResource>[] }>(
    text,
    quotaKinds,
  );
  const errors = limitedResources.flatMap(({ resource = '' }, i) =>
    resource === '' ? [required(FieldPath.of('limitedResources').index(i).child('resource'))] : [],
  );
  if (errors.length > 0) throw errorOf(errors);
  return limitedResources.map(({ apiGroup = '', resource = '', matchContains = [], matchScopes = [] }) => ({
    apiGroup,
    resource,
    matchContains,
    matchScopes: matchScopes as readonly ScopedResourceSelectorRequirement[],
  }));
}

const limitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'];
const usualCacheSize = 4096;
const eventKind = {
  kind: 'Configuration',
  apiVersions: ['eventratelimit.admission.k8s.io/v1alpha1'],
  typeId: 'eventratelimit/v1alpha1.Configuration',
};

/** @param text undefined where there is none: without limits the plugin would do nothing */
export function readEventRateLimit(text: string | undefined): readonly EventLimit[] {
  const { limits } =
    text === undefined ? {} : decodeDocument<{ readonly limits?: readonly Partial<EventLimit>[] }>(text, [eventKind]);
  const path = FieldPath.of('limits');
  if (limits === undefined || limits.length === 0)
    throw errorOf([
      invalid(path, goNames('[]eventratelimit.Limit', limits === undefined ? undefined : []), 'must not be empty'),
    ]);
  const errors = limits.flatMap((limit, i) => [
    ...(limits.findIndex(({ type }) => type === limit.type) < i
      ? [duplicate(path.index(i).child('type'), limit.type)]
      : []),
    ...limitErrors(limit, path.index(i)),
  ]);
  if (errors.length > 0) throw errorOf(errors);
  return limits.map(({ type = 'Server', qps = 0, burst = 0, cacheSize = 0 }) => ({
    type,
    qps,
    burst,
    cacheSize: cacheSize === 0 ? usualCacheSize : cacheSize,
  }));
}

function limitErrors({ type, qps = 0, burst = 0, cacheSize = 0 }: Partial<EventLimit>, path: FieldPath): FieldError[] {
  const [typeName, errors]: [string, FieldError[]] = [type ?? '', []];
  if (!limitTypes.includes(typeName)) errors.push(notSupported(path.child('type'), typeName, limitTypes));
  if (burst <= 0) errors.push(invalid(path.child('burst'), burst, 'must be positive'));
  if (qps <= 0) errors.push(invalid(path.child('qps'), qps, 'must be positive'));
  if (typeName !== 'Server' && cacheSize < 0)
    errors.push(invalid(path.child('cacheSize'), cacheSize, 'must not be negative'));
  return errors;
}

const tolerationKind = {
  kind: 'Configuration',
  apiVersions: ['podtolerationrestriction.admission.k8s.io/v1alpha1'],
  typeId: 'podtolerationrestriction/v1alpha1.Configuration',
};

export function readPodTolerationRestriction(text: string): PodTolerationConfiguration {
  const read = decodeDocument<{ readonly default?: readonly Toleration[]; readonly whitelist?: readonly Toleration[] }>(
    text,
    [tolerationKind],
  );
  const path = FieldPath.of('podtolerationrestriction');
  const errors = gathered(() => {
    const found = new FieldErrors();
    for (const list of ['default', 'whitelist'] as const)
      checkTolerations(read[list], path.child(list), found, { showsValue: true });
    return found;
  });
  if (errors.length > 0) throw new Error(`invalid config: [${errors.map(fieldErrorText).join(' ')}]`);
  return { default: read.default ?? [], whitelist: read.whitelist ?? [] };
}

const clusterDefaultMember = 'clusterDefaultNodeSelector';

export function readPodNodeSelector(text: string): PodNodeSelectorConfiguration {
  const { podNodeSelectorPluginConfig: config = {} } = decodeUntyped<{
    readonly podNodeSelectorPluginConfig?: Readonly<Record<string, string>>;
  }>(text, 'podnodeselector.pluginConfig');
  for (const [name, selector] of Object.entries(config)) {
    try {
      labelsOf(selector);
    } catch (error) {
      throw new Error(`podNodeSelectorPluginConfig[${name}]: ${(error as Error).message}`, { cause: error });
    }
  }
  const { [clusterDefaultMember]: clusterDefault, ...allowed } = config;
  return { clusterDefault, allowed };
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;

interface ImagePolicyDocument {
  readonly imagePolicy?: {
    readonly kubeConfigFile?: string;
    /** In seconds. 0 is the usual time, -1 keeps no answer. */
    readonly allowTTL?: number | bigint;
    readonly denyTTL?: number | bigint;
    /** In milliseconds. */
    readonly retryBackoff?: number | bigint;
    readonly defaultAllow?: boolean;
  };
}

/** The path is as it is written. */
export function readImagePolicy(text: string | undefined): ImagePolicyConfiguration {
  if (text === undefined) throw new Error('no config specified');
  const { imagePolicy = {} } = decodeUntyped<ImagePolicyDocument>(text, 'imagepolicy.AdmissionConfig');
  const { kubeConfigFile = '', allowTTL, denyTTL, retryBackoff, defaultAllow = false } = imagePolicy;
  const times = {
    retryBackoffMs: timeMs(retryBackoff, { unitMs: 1, usualMs: 500, minNs: 1n, maxMs: 5 * minuteMs }),
    allowTtlMs: timeMs(allowTTL, { unitMs: secondMs, usualMs: 5 * minuteMs, minNs: 10n ** 9n, maxMs: 30 * minuteMs }),
    denyTtlMs: timeMs(denyTTL, { unitMs: secondMs, usualMs: 30 * secondMs, minNs: 10n ** 9n, maxMs: 30 * minuteMs }),
  };
  if (kubeConfigFile === '')
    throw new Error(
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    );
  return { kubeConfigFile, ...times, defaultAllow };
}

interface TimeRange {
  readonly unitMs: number;
  readonly usualMs: number;
  readonly minNs: bigint;
  readonly maxMs: number;
}

function timeMs(value: number | bigint = 0, { unitMs, usualMs, minNs, maxMs }: TimeRange): number {
  const given = BigInt(value);
  if (given === -1n) return 0;
  if (given === 0n) return usualMs;
  const ns = given * BigInt(unitMs) * 1_000_000n;
  const maxNs = BigInt(maxMs) * 1_000_000n;
  if (ns < minNs || ns > maxNs)
    throw new Error(
      `valid value is between ${formatDuration(minNs)} and ${formatDuration(maxNs)}, got ${formatDuration(ns)}`,
    );
  return Number(ns / 1_000_000n);
}

const errorOf = (errors: readonly FieldError[]): Error => new Error(aggregateText(errors));
