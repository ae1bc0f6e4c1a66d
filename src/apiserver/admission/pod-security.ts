/**
 * Pod Security admission: namespaces say by label which standard their pods must keep, or be warned about, or leave a
 * note in the audit log about.
 *
 * @see {@link https://kubernetes.io/docs/concepts/security/pod-security-admission/ | Pod Security Admission}
 */
import type { Namespace, Pod, PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { aggregateText } from '../../machinery/field-error.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import { invalid } from '../../machinery/status.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { refused } from './attributes.ts';
import type { PodSecurityConfiguration } from './configuration/plugin-configuration.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import type { PodView } from './pod-security/check.ts';
import {
  type Exemptions,
  exemptionsOf,
  exemptionWarning,
  isExempt,
  isExemptClass,
  note,
} from './pod-security/exemptions.ts';
import { detailsText, evaluatePod, reasonsText } from './pod-security/evaluate.ts';
import { aboutRequest, type ObservePodSecurity } from './pod-security/observations.ts';
import {
  isStricter,
  type LevelVersion,
  levelVersionText,
  noDefaults,
  type Policy,
  type PolicyDefaults,
  policyOf,
} from './pod-security/policy.ts';

/** Where each kind with a pod template has it. */
const templatePaths = new Map<string, readonly string[]>([
  ['/podtemplates', ['template']],
  ['/replicationcontrollers', ['spec', 'template']],
  ['apps/replicasets', ['spec', 'template']],
  ['apps/deployments', ['spec', 'template']],
  ['apps/statefulsets', ['spec', 'template']],
  ['apps/daemonsets', ['spec', 'template']],
  ['batch/jobs', ['spec', 'template']],
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template']],
]);

/** Writes to a pod that cannot change what the standards are about. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

/** Pods that are looked at when a namespace gets stricter. */
const maxPodsToCheck = 3000;

export interface PodSecurityOptions {
  readonly objects: CachedObjects;
  /** Without one nothing is enforced by default, and nothing is exempt. */
  readonly configuration?: PodSecurityConfiguration | undefined;
  readonly observe?: ObservePodSecurity;
}

export function createPodSecurity({
  objects,
  configuration,
  observe = () => undefined,
}: PodSecurityOptions): AdmissionPlugin {
  const defaults = configuration?.defaults ?? noDefaults;
  const exemptions = exemptionsOf(configuration);
  const context = { objects, defaults, exemptions };
  const judge: Judge = { exemptions, observe, policyIn };
  const policies = new WeakMap<Namespace, Policy>();
  async function policyIn(namespace: string): Promise<Policy> {
    const found =
      (await objects.find<Namespace>('', 'namespaces', '', namespace)) ??
      (await objects.findFresh<Namespace>('', 'namespaces', '', namespace));
    if (found === undefined) return policyOf(undefined, defaults);
    let policy = policies.get(found);
    if (policy === undefined) policies.set(found, (policy = policyOf(found.metadata?.labels, defaults)));
    return policy;
  }
  return {
    name: 'PodSecurity',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate(attributes) {
      const {
        resource: { group, resource },
        subresource,
      } = attributes;
      if (group === '' && resource === 'namespaces')
        return subresource === '' ? validateNamespace(attributes, context) : undefined;
      if (group === '' && resource === 'pods') return validatePod(attributes, judge);
      const path = subresource === '' ? templatePaths.get(`${group}/${resource}`) : undefined;
      return path === undefined ? undefined : validateTemplate(attributes, path, judge);
    },
  };
}

/** What pods and templates are judged by. */
interface Judge {
  readonly exemptions: Exemptions;
  readonly observe: ObservePodSecurity;
  policyIn(namespace: string): Promise<Policy>;
}

interface NamespaceContext {
  readonly objects: CachedObjects;
  readonly defaults: PolicyDefaults;
  readonly exemptions: Exemptions;
}

async function validatePod(attributes: AdmissionAttributes, judge: Judge): Promise<void> {
  const { exemptions } = judge;
  if (ignoredSubresources.has(attributes.subresource)) return;
  if (isExempt(attributes, exemptions)) return observeExemption(attributes, judge);
  const policy = await policyOfNamespace(attributes, judge);
  if (isFullyPrivileged(policy)) {
    note(attributes, 'enforce-policy', 'privileged:latest');
    return observeEvaluation(attributes, judge, 'enforce', policy.enforce, true);
  }
  const pod = attributes.object as Pod;
  if (attributes.operation === 'UPDATE' && !isSignificant(pod, attributes.oldObject as Pod)) return;
  if (isExemptClass(attributes, pod.spec, exemptions)) return observeExemption(attributes, judge);
  const { enforce, warn } = policy;
  note(attributes, 'enforce-policy', levelVersionText(enforce));
  noteErrors(attributes, policy, judge);
  const findings = evaluatePod(enforce, pod);
  observeEvaluation(attributes, judge, 'enforce', enforce, findings.length === 0);
  noteViolations(attributes, policy, pod, judge);
  if (findings.length > 0)
    throw refused(attributes, `violates PodSecurity ${goQuote(levelVersionText(enforce))}: ${detailsText(findings)}`);
  warnAbout(attributes, warn, pod, judge);
}

async function validateTemplate(attributes: AdmissionAttributes, path: readonly string[], judge: Judge): Promise<void> {
  const { exemptions } = judge;
  if (isExempt(attributes, exemptions)) return observeExemption(attributes, judge);
  const { spec, metadata } = (templateAt(attributes.object!, path) ?? {}) as PodTemplateSpec;
  if (spec === undefined) return;
  const policy = await policyOfNamespace(attributes, judge);
  if (isExemptClass(attributes, spec, exemptions)) return observeExemption(attributes, judge);
  noteErrors(attributes, policy, judge);
  noteViolations(attributes, policy, { metadata, spec }, judge);
  warnAbout(attributes, policy.warn, { metadata, spec }, judge);
}

async function policyOfNamespace(attributes: AdmissionAttributes, { policyIn, observe }: Judge): Promise<Policy> {
  try {
    return await policyIn(attributes.namespace);
  } catch (error) {
    observe({ what: 'error', isFatal: true, ...aboutRequest(attributes) });
    throw error;
  }
}

const observeExemption = (attributes: AdmissionAttributes, { observe }: Judge): void =>
  observe({ what: 'exemption', ...aboutRequest(attributes) });

const observeEvaluation = (
  attributes: AdmissionAttributes,
  { observe }: Judge,
  mode: 'enforce' | 'audit' | 'warn',
  policy: LevelVersion,
  isAllowed: boolean,
): void => observe({ what: 'evaluation', mode, policy, isAllowed, ...aboutRequest(attributes) });

const isFullyPrivileged = ({ enforce, audit, warn, errors }: Policy): boolean =>
  errors.length === 0 && [enforce, audit, warn].every(({ level }) => level === 'privileged');

function noteErrors(attributes: AdmissionAttributes, { errors }: Policy, { observe }: Judge): void {
  if (errors.length === 0) return;
  note(attributes, 'error', `Failed to parse policy: ${aggregateText(errors)}`);
  observe({ what: 'error', isFatal: false, ...aboutRequest(attributes) });
}

/** What is in order by a policy that refuses nothing is not counted as evaluated. */
function noteViolations(attributes: AdmissionAttributes, { audit }: Policy, pod: PodView, judge: Judge): void {
  const findings = evaluatePod(audit, pod);
  if (findings.length === 0) return;
  note(attributes, 'audit-violations', violationText(audit, findings));
  observeEvaluation(attributes, judge, 'audit', audit, false);
}

const violationText = (level: LevelVersion, findings: ReturnType<typeof evaluatePod>): string =>
  `would violate PodSecurity ${goQuote(levelVersionText(level))}: ${detailsText(findings)}`;

const templateAt = (object: KubeObject, path: readonly string[]): JsonObject | undefined =>
  path.reduce<JsonObject | undefined>((value, member) => value?.[member] as JsonObject | undefined, asJson(object));

function warnAbout(attributes: AdmissionAttributes, level: LevelVersion, pod: PodView, judge: Judge): void {
  const findings = evaluatePod(level, pod);
  if (findings.length === 0) return;
  attributes.warn(violationText(level, findings));
  observeEvaluation(attributes, judge, 'warn', level, false);
}

/** Of what may change in a pod, only images and new containers matter to the standards. */
function isSignificant({ spec }: Pod, { spec: old }: Pod): boolean {
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = spec[list] ?? [];
    if (
      containers.length !== (old[list]?.length ?? 0) ||
      containers.some(({ image }, i) => image !== old[list]![i]!.image)
    )
      return true;
  }
  const images = new Map(old.ephemeralContainers?.toReversed().map(({ name, image }) => [name, image]));
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => images.get(name) !== image);
}

function validateNamespace(attributes: AdmissionAttributes, context: NamespaceContext): Promise<void> | undefined {
  const { object, oldObject, kind, name, warn } = attributes;
  const labels = object!.metadata?.labels;
  const policy = policyOf(labels, context.defaults);
  const old = oldObject === undefined ? undefined : policyOf(oldObject.metadata?.labels, context.defaults);
  // What was wrong before does not stand in the way of other changes.
  if (policy.errors.length > 0 && !(old !== undefined && isEqual(policy.errors, old.errors)))
    throw invalid(kind, name, policy.errors);
  const isExemptNamespace = context.exemptions.namespaces.has(name);
  const tellExempt = (): undefined => {
    const warning = exemptionWarning(name, policy, labels, context.defaults);
    if (warning !== undefined) warn(warning);
  };
  if (old === undefined) return isExemptNamespace ? tellExempt() : undefined;
  if (policy.enforce.level === 'privileged') return undefined;
  const isTighter =
    policy.enforce.version !== old.enforce.version || isStricter(policy.enforce.level, old.enforce.level);
  if (!isTighter) return undefined;
  return isExemptNamespace ? tellExempt() : warnAboutExistingPods(attributes, policy.enforce, context);
}

async function warnAboutExistingPods(
  { name, warn }: AdmissionAttributes,
  enforce: LevelVersion,
  { objects, exemptions }: NamespaceContext,
): Promise<void> {
  const pods = await objects.list<Pod>('', 'pods', name);
  const byReasons = new Map<string, string[]>();
  for (const pod of pods.slice(0, maxPodsToCheck)) {
    if (exemptions.runtimeClasses.has(pod.spec.runtimeClassName ?? '')) continue;
    const reasons = reasonsText(evaluatePod(enforce, pod));
    const names = byReasons.get(reasons);
    if (names !== undefined) names.push(pod.metadata.name!);
    else if (reasons !== '') byReasons.set(reasons, [pod.metadata.name!]);
  }
  if (pods.length > maxPodsToCheck)
    warn(
      `new PodSecurity enforce level only checked against the first ${maxPodsToCheck} of ${pods.length} existing pods`,
    );
  if (byReasons.size === 0) return;
  warn(
    `existing pods in namespace ${goQuote(name)} violate the new PodSecurity enforce ` +
      `level ${goQuote(levelVersionText(enforce))}`,
  );
  for (const line of [...byReasons].map(([reasons, names]) => `${groupText(names.sort())}: ${reasons}`).sort())
    warn(line);
}

function groupText(names: readonly string[]): string {
  const others = names.length - 1;
  if (others === 0) return names[0]!;
  return `${names[0]!} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
}
