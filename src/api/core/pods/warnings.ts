/**
 * What is accepted in a pod or a template of one, and is probably not meant. Told one by one: an answer has place for a
 * few.
 */
import type { EnvVar, NodeSelectorTerm, PodSpec, ResourceRequirements } from '../../gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { ObjectMeta } from '../../../machinery/object-meta.ts';
import { quantityOf } from '../resources/quantities.ts';
import { claimSpecWarnings } from '../volumes/claim-warnings.ts';
import { appArmorAnnotation } from './app-armor.ts';
import { containersWithPath } from './container-list.ts';
import { portWarnings } from './port-warnings.ts';
import { seccompContainerAnnotation, seccompPodAnnotation } from './seccomp.ts';

/** `path` is that of the template; a pod has none around it. */
export function* podWarnings(
  { metadata, spec }: { metadata: ObjectMeta; spec: PodSpec },
  path: FieldPath = FieldPath.root,
): Generator<string> {
  const at = path.child('spec');
  const annotations = path.child('metadata', 'annotations');
  yield* ofNodeLabels(spec, at);
  yield* ofAnnotations(metadata, annotations);
  yield* ofVolumes(spec, at.child('volumes'));
  yield* ofTokenPaths(spec, at.child('volumes'));
  yield* ofRepetitions(spec, at);
  for (const resource of byteResources) yield* ofFraction(spec.overhead, resource, () => at.child('overhead'));
  if (spec.securityContext?.seccompProfile === undefined && metadata.annotations?.[seccompPodAnnotation] !== undefined)
    yield seccompWarning(annotations.key(seccompPodAnnotation));
  yield* ofContainers({ metadata, spec }, path);
  yield* portWarnings(spec, at);
  const { terminationGracePeriodSeconds: period } = spec;
  if (period !== undefined && period < 0)
    yield `${at.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and ` +
      'will be treated as 1';
  yield* ofSelectors(spec, at.child('affinity'));
}

/** Labels of nodes that have another name now. */
const oldNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

export const nodeLabelWarning = (key: string): string | undefined =>
  Object.hasOwn(oldNodeLabels, key) ? oldNodeLabels[key] : undefined;

const noSelector = 'a null labelSelector results in matching no pod';
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function* ofNodeLabels(
  { nodeSelector, affinity, topologySpreadConstraints }: PodSpec,
  path: FieldPath,
): Generator<string> {
  for (const key in nodeSelector) {
    const text = nodeLabelWarning(key);
    if (text !== undefined) yield `${path.child('nodeSelector').key(key)}: ${text}`;
  }
  const nodes = affinity?.nodeAffinity;
  const at = path.child('affinity', 'nodeAffinity');
  const { nodeSelectorTerms } = nodes?.[required] ?? {};
  for (const [i, term] of entriesOf(nodeSelectorTerms))
    yield* nodeSelectorTermWarnings(term, at.child(required, 'nodeSelectorTerms').index(i));
  for (const [i, { preference }] of entriesOf(nodes?.[preferred]))
    yield* nodeSelectorTermWarnings(preference, at.child(preferred).index(i).child('preference'));
  for (const [i, { topologyKey = '', labelSelector }] of entriesOf(topologySpreadConstraints)) {
    const constraint = path.child('topologySpreadConstraints').index(i);
    const text = nodeLabelWarning(topologyKey);
    if (text !== undefined) yield `${constraint.child('topologyKey')}: ${topologyKey} is ${text}`;
    if (labelSelector === undefined) yield `${constraint.child('labelSelector')}: ${noSelector}`;
  }
}

export function* nodeSelectorTermWarnings({ matchExpressions }: NodeSelectorTerm, path: FieldPath): Generator<string> {
  for (const [i, { key = '' }] of entriesOf(matchExpressions)) {
    const text = nodeLabelWarning(key);
    if (text !== undefined) yield `${path.child('matchExpressions').index(i).child('key')}: ${key} is ${text}`;
  }
}

const entriesOf = <T>(list: readonly T[] | undefined): Iterable<[number, T]> => list?.entries() ?? [];

const oldAnnotations = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const;

function* ofAnnotations({ annotations }: ObjectMeta, path: FieldPath): Generator<string> {
  if (annotations === undefined) return;
  for (const [key, text] of oldAnnotations) if (annotations[key] !== undefined) yield `${path.key(key)}: ${text}`;
}

/** Volumes whose drivers are gone or will go: member, name in the warning, text. */
const oldVolumes = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

function* ofVolumes({ volumes }: PodSpec, path: FieldPath): Generator<string> {
  for (const [i, volume] of entriesOf(volumes)) {
    for (const [source, name, text] of oldVolumes)
      if (volume[source] !== undefined) yield `${path.index(i).child(name)}: ${text}`;
    const claim = volume.ephemeral?.volumeClaimTemplate;
    if (claim !== undefined)
      yield* claimSpecWarnings(claim.spec, path.index(i).child('ephemeral', 'volumeClaimTemplate', 'spec'));
  }
}

/** A file of a projected volume that a token of any projected volume hides. */
function* ofTokenPaths({ volumes }: PodSpec, path: FieldPath): Generator<string> {
  const tokens = tokenPathsOf(volumes);
  if (tokens.size === 0) return;
  const hidden = (file: string | undefined, where: () => FieldPath): string[] =>
    tokens.has(file) ? [`${where()}: has duplicated path with ServiceAccountToken ${goQuote(file ?? '')}`] : [];
  for (const [v, { projected }] of entriesOf(volumes)) {
    const at = path.index(v).child('projected', 'sources');
    for (const { configMap, secret, downwardAPI, clusterTrustBundle } of projected?.sources ?? []) {
      for (const [i, item] of entriesOf(configMap?.items))
        yield* hidden(item.path, () => at.child('configMap').index(i));
      for (const [i, item] of entriesOf(secret?.items)) yield* hidden(item.path, () => at.child('secrets').index(i));
      for (const [i, item] of entriesOf(downwardAPI?.items))
        yield* hidden(item.path, () => at.child('downwardAPI').index(i));
      if (clusterTrustBundle !== undefined)
        yield* hidden(clusterTrustBundle.path, () => at.child('ClusterTrustBundle'));
    }
  }
}

function tokenPathsOf(volumes: PodSpec['volumes']): ReadonlySet<string | undefined> {
  const paths = new Set<string | undefined>();
  for (const { projected } of volumes ?? []) {
    for (const { serviceAccountToken } of projected?.sources ?? [])
      if (serviceAccountToken !== undefined) paths.add(serviceAccountToken.path);
  }
  return paths;
}

function* ofRepetitions({ hostAliases, imagePullSecrets }: PodSpec, path: FieldPath): Generator<string> {
  for (const [i, { ip = '' }] of repeated(hostAliases, ({ ip = '' }) => ip))
    yield `${path.child('hostAliases').index(i).child('ip')}: duplicate ip ${goQuote(ip)}`;
  const at = path.child('imagePullSecrets');
  for (const [i, { name = '' }] of repeated(imagePullSecrets, ({ name = '' }) => name))
    yield `${at.index(i).child('name')}: duplicate name ${goQuote(name)}`;
  for (const [i, { name = '' }] of entriesOf(imagePullSecrets))
    if (name === '') yield `${at.index(i).child('name')}: invalid empty name ""`;
}

/** Items that have the key of one before them. */
function* repeated<T>(items: readonly T[] | undefined, keyOf: (item: T) => string): Generator<[number, T]> {
  if (items === undefined || items.length < 2) return;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) yield [i, item];
    seen.add(key);
  }
}

const byteResources = ['memory', 'ephemeral-storage'];

/** `path` is called only when there is something to say. */
function* ofFraction(
  amounts: ResourceRequirements['limits'],
  resource: string,
  path: () => FieldPath,
): Generator<string> {
  const text = amounts?.[resource];
  if (text !== undefined && !quantityOf(text).isInteger())
    yield `${path().key(resource)}: fractional byte value ${goQuote(text)} is invalid, must be an integer`;
}

const seccompWarning = (path: FieldPath): string =>
  `${path}: non-functional in v1.27+; use the "seccompProfile" field instead`;
export const appArmorWarning = (path: FieldPath): string =>
  `${path}: deprecated since v1.30; use the "appArmorProfile" field instead`;

function* ofContainers(
  { metadata: { annotations }, spec }: { metadata: ObjectMeta; spec: PodSpec },
  path: FieldPath,
): Generator<string> {
  const at = path.child('metadata', 'annotations');
  // A pod's profile has been taken over into the field, and that has been warned about.
  const warnsAboutAppArmor = path !== FieldPath.root && spec.securityContext?.appArmorProfile === undefined;
  for (const [{ name = '', securityContext, resources, env }, container] of containersWithPath(
    spec,
    path.child('spec'),
  )) {
    const seccomp = seccompContainerAnnotation + name;
    if (securityContext?.seccompProfile === undefined && annotations?.[seccomp] !== undefined)
      yield seccompWarning(at.key(seccomp));
    const appArmor = appArmorAnnotation + name;
    if (warnsAboutAppArmor && securityContext?.appArmorProfile === undefined && annotations?.[appArmor] !== undefined)
      yield appArmorWarning(at.key(appArmor));
    for (const resource of byteResources) {
      yield* ofFraction(resources.limits, resource, () => container.child('resources', 'limits'));
      yield* ofFraction(resources.requests, resource, () => container.child('resources', 'requests'));
    }
    yield* ofEnv(env, container.child('env'));
  }
}

/** A variable may be defined again in terms of itself. */
function* ofEnv(variables: readonly EnvVar[] | undefined, path: FieldPath): Generator<string> {
  for (const [i, { name = '', value = '', valueFrom }] of repeated(variables, ({ name = '' }) => name)) {
    const reference = `$(${name})`;
    if (valueFrom === undefined && value !== reference && value.includes(reference)) continue;
    yield `${path.index(i)}: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`;
  }
}

function* ofSelectors({ affinity }: PodSpec, path: FieldPath): Generator<string> {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const at = path.child(kind);
    for (const [i, { labelSelector }] of entriesOf(affinity?.[kind]?.[required])) {
      if (labelSelector === undefined) yield `${at.child(required).index(i).child('labelSelector')}: ${noSelector}`;
    }
    for (const [i, { podAffinityTerm }] of entriesOf(affinity?.[kind]?.[preferred])) {
      if (podAffinityTerm.labelSelector === undefined)
        yield `${at.child(preferred).index(i).child('podAffinityTerm', 'labelSelector')}: ${noSelector}`;
    }
  }
}
