/** What is accepted in a pod or a template of one, and is probably not meant. */
import type { ContainerPort, EnvVar, LocalObjectReference, NodeSelectorTerm, PodSpec, ResourceRequirements } from '../../gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { ObjectMeta } from '../../../machinery/object-meta.ts';
import { quantityOf } from '../resources/quantities.ts';
import { claimSpecWarnings } from '../volumes/claim-warnings.ts';
import { appArmorAnnotation } from './app-armor.ts';
import { visitContainersWithPath } from './container-list.ts';
import { seccompContainerAnnotation, seccompPodAnnotation } from './seccomp.ts';

type Warnings = string[];

/** `path` is that of the template; a pod has none around it. */
export function podWarnings({ metadata, spec }: { metadata: ObjectMeta; spec: PodSpec }, path: FieldPath = FieldPath.root): string[] {
  const warnings: Warnings = [];
  const at = path.child('spec');
  const annotations = path.child('metadata', 'annotations');
  warnAboutNodeLabels(spec, at, warnings);
  warnAboutAnnotations(metadata, annotations, warnings);
  spec.volumes?.forEach((volume, i) => {
    for (const [source, name, text] of oldVolumes) if (volume[source] !== undefined) warnings.push(`${at.child('volumes').index(i).child(name)}: ${text}`);
    const claim = volume.ephemeral?.volumeClaimTemplate;
    if (claim !== undefined) warnings.push(...claimSpecWarnings(claim.spec, at.child('volumes').index(i).child('ephemeral', 'volumeClaimTemplate', 'spec')));
  });
  warnAboutTokenPaths(spec, at.child('volumes'), warnings);
  warnAboutDuplicates(spec, at, warnings);
  for (const resource of byteResources) warnAboutFraction(spec.overhead, resource, () => at.child('overhead'), warnings);
  if (spec.securityContext?.seccompProfile === undefined && metadata.annotations?.[seccompPodAnnotation] !== undefined) warnings.push(seccompWarning(annotations.key(seccompPodAnnotation)));
  warnAboutContainers({ metadata, spec }, path, warnings);
  warnAboutPorts(spec, at, warnings);
  const { terminationGracePeriodSeconds: period } = spec;
  if (period !== undefined && period < 0) warnings.push(`${at.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`);
  warnAboutSelectors(spec, at.child('affinity'), warnings);
  return warnings;
}

/** Labels of nodes that have another name now. */
const oldNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

export const nodeLabelWarning = (key: string): string | undefined => (Object.hasOwn(oldNodeLabels, key) ? oldNodeLabels[key] : undefined);

const noSelector = 'a null labelSelector results in matching no pod';
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function warnAboutNodeLabels({ nodeSelector, affinity, topologySpreadConstraints }: PodSpec, path: FieldPath, warnings: Warnings): void {
  for (const key in nodeSelector) {
    const text = nodeLabelWarning(key);
    if (text !== undefined) warnings.push(`${path.child('nodeSelector').key(key)}: ${text}`);
  }
  const nodes = affinity?.nodeAffinity;
  const at = path.child('affinity', 'nodeAffinity');
  nodes?.[required]?.nodeSelectorTerms?.forEach((term, i) => warnings.push(...nodeSelectorTermWarnings(term, at.child(required, 'nodeSelectorTerms').index(i))));
  nodes?.[preferred]?.forEach(({ preference }, i) => warnings.push(...nodeSelectorTermWarnings(preference, at.child(preferred).index(i).child('preference'))));
  topologySpreadConstraints?.forEach(({ topologyKey = '', labelSelector }, i) => {
    const constraint = path.child('topologySpreadConstraints').index(i);
    const text = nodeLabelWarning(topologyKey);
    if (text !== undefined) warnings.push(`${constraint.child('topologyKey')}: ${topologyKey} is ${text}`);
    if (labelSelector === undefined) warnings.push(`${constraint.child('labelSelector')}: ${noSelector}`);
  });
}

export function nodeSelectorTermWarnings({ matchExpressions }: NodeSelectorTerm, path: FieldPath): string[] {
  return (matchExpressions ?? []).flatMap(({ key = '' }, i) => {
    const text = nodeLabelWarning(key);
    return text === undefined ? [] : [`${path.child('matchExpressions').index(i).child('key')}: ${key} is ${text}`];
  });
}

const oldAnnotations = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const;

function warnAboutAnnotations({ annotations }: ObjectMeta, path: FieldPath, warnings: Warnings): void {
  if (annotations === undefined) return;
  for (const [key, text] of oldAnnotations) if (annotations[key] !== undefined) warnings.push(`${path.key(key)}: ${text}`);
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

/** A file of a projected volume that a token of any projected volume hides. */
function warnAboutTokenPaths({ volumes }: PodSpec, path: FieldPath, warnings: Warnings): void {
  const tokens = new Set(volumes?.flatMap(({ projected }) => projected?.sources?.flatMap(({ serviceAccountToken }) => (serviceAccountToken === undefined ? [] : [serviceAccountToken.path])) ?? []));
  if (tokens.size === 0) return;
  volumes?.forEach(({ projected }, v) => projected?.sources?.forEach(({ configMap, secret, downwardAPI, clusterTrustBundle }) => {
    const at = path.index(v).child('projected', 'sources');
    const warn = (file: string | undefined, where: FieldPath): void => {
      if (tokens.has(file)) warnings.push(`${where}: has duplicated path with ServiceAccountToken ${goQuote(file ?? '')}`);
    };
    configMap?.items?.forEach((item, i) => warn(item.path, at.child('configMap').index(i)));
    secret?.items?.forEach((item, i) => warn(item.path, at.child('secrets').index(i)));
    downwardAPI?.items?.forEach((item, i) => warn(item.path, at.child('downwardAPI').index(i)));
    if (clusterTrustBundle !== undefined) warn(clusterTrustBundle.path, at.child('ClusterTrustBundle'));
  }));
}

function warnAboutDuplicates({ hostAliases, imagePullSecrets }: PodSpec, path: FieldPath, warnings: Warnings): void {
  eachRepeated(hostAliases ?? [], ({ ip = '' }) => ip, (ip, i) => warnings.push(`${path.child('hostAliases').index(i).child('ip')}: duplicate ip ${goQuote(ip)}`));
  warnings.push(...pullSecretWarnings(imagePullSecrets ?? [], path.child('imagePullSecrets')));
}

function pullSecretWarnings(secrets: readonly LocalObjectReference[], path: FieldPath): string[] {
  const warnings: Warnings = [];
  eachRepeated(secrets, ({ name = '' }) => name, (name, i) => warnings.push(`${path.index(i).child('name')}: duplicate name ${goQuote(name)}`));
  secrets.forEach(({ name = '' }, i) => {
    if (name === '') warnings.push(`${path.index(i).child('name')}: invalid empty name ""`);
  });
  return warnings;
}

function eachRepeated<T>(items: readonly T[], keyOf: (item: T) => string, report: (key: string, index: number) => void): void {
  if (items.length < 2) return;
  const seen = new Set<string>();
  items.forEach((item, i) => {
    const key = keyOf(item);
    if (seen.has(key)) report(key, i);
    seen.add(key);
  });
}

const byteResources = ['memory', 'ephemeral-storage'];

/** `path` is called only when there is something to say. */
function warnAboutFraction(amounts: ResourceRequirements['limits'], resource: string, path: () => FieldPath, warnings: Warnings): void {
  const text = amounts?.[resource];
  if (text !== undefined && !quantityOf(text).isInteger()) warnings.push(`${path().key(resource)}: fractional byte value ${goQuote(text)} is invalid, must be an integer`);
}

const seccompWarning = (path: FieldPath): string => `${path}: non-functional in v1.27+; use the "seccompProfile" field instead`;
export const appArmorWarning = (path: FieldPath): string => `${path}: deprecated since v1.30; use the "appArmorProfile" field instead`;

function warnAboutContainers({ metadata: { annotations }, spec }: { metadata: ObjectMeta; spec: PodSpec }, path: FieldPath, warnings: Warnings): void {
  const at = path.child('metadata', 'annotations');
  // A pod's profile has been taken over into the field, and that has been warned about.
  const warnsAboutAppArmor = path !== FieldPath.root && spec.securityContext?.appArmorProfile === undefined;
  visitContainersWithPath(spec, path.child('spec'), ({ name = '', securityContext, resources, env }, container) => {
    const seccomp = seccompContainerAnnotation + name;
    if (securityContext?.seccompProfile === undefined && annotations?.[seccomp] !== undefined) warnings.push(seccompWarning(at.key(seccomp)));
    const appArmor = appArmorAnnotation + name;
    if (warnsAboutAppArmor && securityContext?.appArmorProfile === undefined && annotations?.[appArmor] !== undefined) warnings.push(appArmorWarning(at.key(appArmor)));
    for (const resource of byteResources) {
      warnAboutFraction(resources.limits, resource, () => container.child('resources', 'limits'), warnings);
      warnAboutFraction(resources.requests, resource, () => container.child('resources', 'requests'), warnings);
    }
    warnAboutEnv(env, container.child('env'), warnings);
  });
}

/** A variable may be defined again in terms of itself. */
function warnAboutEnv(variables: readonly EnvVar[] | undefined, path: FieldPath, warnings: Warnings): void {
  if (variables === undefined) return;
  eachRepeated(variables, ({ name = '' }) => name, (name, i) => {
    const { value = '', valueFrom } = variables[i]!;
    const reference = `$(${name})`;
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return;
    warnings.push(`${path.index(i)}: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`);
  });
}

function warnAboutPorts(spec: PodSpec, path: FieldPath, warnings: Warnings): void {
  const known = new Map<string, { port: ContainerPort; path: FieldPath }[]>();
  visitContainersWithPath(spec, path, ({ ports }, container) => ports?.forEach((port, i) => {
    const at = container.child('ports').index(i);
    const { hostIP = '', hostPort = 0, containerPort = 0, protocol = '' } = port;
    if (hostIP !== '' && hostPort === 0) warnings.push(`${at}: hostIP set without hostPort: ${shownPort(port)}`);
    const key = `${containerPort}/${protocol}`;
    const others = known.get(key) ?? [];
    for (const other of others) {
      const problem = portConflict(port, other.port);
      if (problem !== undefined) warnings.push(`${at}: ${problem} port definition with ${other.path}`);
    }
    known.set(key, [...others, { port, path: at }]);
  }));
}

function portConflict({ hostIP = '', hostPort = 0 }: ContainerPort, { hostIP: otherIP = '', hostPort: otherPort = 0 }: ContainerPort): string | undefined {
  if (hostIP === otherIP && hostPort === otherPort) return 'duplicate';
  if (hostPort === 0 || otherPort === 0) return 'overlapping';
  return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? 'dangerously ambiguous' : undefined;
}

const shownPort = ({ name = '', hostPort = 0, containerPort = 0, protocol = '' as never, hostIP = '' }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol as string} HostIP:${hostIP}}`;

function warnAboutSelectors({ affinity }: PodSpec, path: FieldPath, warnings: Warnings): void {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const at = path.child(kind);
    affinity?.[kind]?.[required]?.forEach(({ labelSelector }, i) => {
      if (labelSelector === undefined) warnings.push(`${at.child(required).index(i).child('labelSelector')}: ${noSelector}`);
    });
    affinity?.[kind]?.[preferred]?.forEach(({ podAffinityTerm }, i) => {
      if (podAffinityTerm.labelSelector === undefined) warnings.push(`${at.child(preferred).index(i).child('podAffinityTerm', 'labelSelector')}: ${noSelector}`);
    });
  }
}
