/**
 * Which rules hold for a pod or a template: those of the server, and leave for what the stored object has that would be
 * refused today.
 */
import type { PodSpec, Volume } from '../../gen/types/core-v1.ts';
import { isEnvVarName, isRelaxedEnvVarName } from '../../../machinery/formats/names.ts';
import type { ObjectMeta } from '../../../machinery/object-meta.ts';
import { hasInvalidSelector } from '../../meta/label-selector.ts';
import { quantityOf } from '../resources/quantities.ts';
import { isHugePageName, isMultipleOfPageSize } from '../resources/resource-names.ts';
import { isFilePath } from '../volumes/paths.ts';
import { hasInvalidAffinitySelector } from './affinity.ts';
import { deletionCostAnnotation, isDeletionCost } from './annotations.ts';
import { type AnyContainer, isSidecar, someContainer } from './container-list.ts';
import { hasInvalidNodeSelectorValue } from './node-selector.ts';
import type { PodValidationOptions, ServerFeatures } from './validation-option-types.ts';
import { hostNamespaceOf } from './sysctls.ts';

/** A pod or the template of one. */
export interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** Rules for a new object. */
export function podValidationOptions(
  { enabled, allowPrivileged }: ServerFeatures,
  isPod: boolean,
): PodValidationOptions {
  return {
    isPod,
    allowPrivileged,
    podLevelResources: enabled('PodLevelResources'),
    volumeAttributesClass: enabled('VolumeAttributesClass'),
    relaxedEnvNames: enabled('RelaxedEnvironmentVariableValidation'),
    relaxedDnsSearches: false,
    onlyRecursiveSELinuxChange: true,
    initContainerResizePolicy: false,
    sleepZero: false,
    invalidDeletionCost: false,
    indivisibleHugePages: false,
    invalidAffinitySelectorValues: false,
    invalidNodeAffinityValues: false,
    invalidSpreadSelectors: false,
    nonLocalTokenPaths: false,
    hostSysctls: false,
  };
}

/** Rules for an object that is to replace `old`. */
export function podValidationOptionsForUpdate(
  features: ServerFeatures,
  isPod: boolean,
  { spec }: PodLike,
  old: PodLike,
): PodValidationOptions {
  const rules = podValidationOptions(features, isPod);
  const before = old.spec;
  const cost = old.metadata.annotations?.[deletionCostAnnotation];
  return {
    ...rules,
    relaxedEnvNames: rules.relaxedEnvNames || keepsRelaxedEnvName(spec, before),
    relaxedDnsSearches: before.dnsConfig?.searches?.some((search) => search === '.' || search.includes('_')) === true,
    onlyRecursiveSELinuxChange: before.securityContext?.seLinuxChangePolicy === undefined,
    initContainerResizePolicy:
      before.initContainers?.some((container) => isSidecar(container) && (container.resizePolicy?.length ?? 0) > 0) ===
      true,
    sleepZero: someContainer(before, sleepsZero),
    invalidDeletionCost: cost !== undefined && !isDeletionCost(cost),
    indivisibleHugePages: someContainer(before, hasIndivisiblePages),
    invalidAffinitySelectorValues: before.affinity !== undefined && hasInvalidAffinitySelector(before.affinity),
    invalidNodeAffinityValues: hasInvalidNodeSelectorValue(
      before.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
    ),
    invalidSpreadSelectors:
      before.topologySpreadConstraints?.some(({ labelSelector }) => hasInvalidSelector(labelSelector)) === true,
    nonLocalTokenPaths: before.volumes?.some(hasNonLocalToken) === true,
    hostSysctls:
      before.securityContext?.sysctls?.some(({ name = '' }) => hostNamespaceOf(name, before) !== undefined) === true,
  };
}

const sleepsZero = ({ lifecycle }: AnyContainer): boolean =>
  [lifecycle?.preStop?.sleep, lifecycle?.postStart?.sleep].some(
    (sleep) => sleep !== undefined && (sleep.seconds ?? 0) === 0,
  );

const hasIndivisiblePages = ({ resources: { limits, requests } }: AnyContainer): boolean =>
  [limits, requests].some(
    (list) =>
      list !== undefined &&
      Object.keys(list).some((name) => isHugePageName(name) && !isMultipleOfPageSize(name, quantityOf(list[name]!))),
  );

const hasNonLocalToken = ({ projected }: Volume): boolean =>
  projected?.sources?.some(({ serviceAccountToken: token }) => token !== undefined && !isFilePath(token.path ?? '')) ===
  true;

/** Whether a name that only the relaxed rule allows was there before. */
function keepsRelaxedEnvName(spec: PodSpec, old: PodSpec): boolean {
  const before = envNames(old);
  return [...envNames(spec)].some(
    (name) => before.has(name) && isEnvVarName(name).length > 0 && isRelaxedEnvVarName(name).length === 0,
  );
}

function envNames(spec: PodSpec): Set<string> {
  const names = new Set<string>();
  someContainer(spec, ({ env, envFrom }) => {
    env?.forEach(({ name = '' }) => names.add(name));
    envFrom?.forEach(({ prefix = '' }) => names.add(prefix));
    return false;
  });
  return names;
}
