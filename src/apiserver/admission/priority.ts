/**
 * Gives pods the number behind their priority class, allows one class for all pods without one, and keeps the classes
 * of the system from being deleted.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ | Pod Priority and
 *   Preemption}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PriorityClass } from '../../api/gen/types/scheduling-v1.ts';
import { isSystemPriorityClass } from '../../api/scheduling/priority-classes/validation.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout, refused } from './attributes.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

const group = 'scheduling.k8s.io';
const resource = 'priorityclasses';

export function createPriority({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin {
  return {
    name: 'Priority',
    handles: (operation) => operation !== 'CONNECT',
    admit(attributes) {
      if (!isAbout(attributes, '', 'pods') || attributes.operation === 'DELETE') return undefined;
      if (attributes.operation === 'CREATE') return setPriority(attributes, objects);
      keepPriority(attributes.object as Pod, attributes.oldObject as Pod);
      return undefined;
    },
    validate(attributes) {
      if (!isAbout(attributes, group, resource)) return undefined;
      if (attributes.operation === 'DELETE') return keepSystemClass(attributes);
      return (attributes.object as PriorityClass).globalDefault === true
        ? checkOnlyDefault(attributes, objects)
        : undefined;
    },
  };
}

/** Pods of the cluster's components name these classes. */
function keepSystemClass(attributes: AdmissionAttributes): undefined {
  if (isSystemPriorityClass(attributes.name))
    throw refused(attributes, 'this is a system priority class and cannot be deleted');
  return undefined;
}

/** What was set at creation stays when the client leaves it out. */
function keepPriority({ spec }: Pod, { spec: old }: Pod): void {
  if (old.priority !== undefined) spec.priority ??= old.priority;
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy;
}

async function setPriority(attributes: AdmissionAttributes, objects: CachedObjects): Promise<void> {
  const { spec } = attributes.object as Pod;
  const priorityClass = await classOf(spec.priorityClassName ?? '', attributes, objects);
  const priority = priorityClass?.value ?? 0;
  const policy = priorityClass?.preemptionPolicy ?? 'PreemptLowerPriority';
  if (spec.priority !== undefined && spec.priority !== priority) {
    throw refused(
      attributes,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission ` +
        `controller computed ${priority} from the given PriorityClass name`,
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    throw refused(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; ` +
        `priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  if (priorityClass !== undefined) spec.priorityClassName = priorityClass.metadata.name!;
  spec.priority = priority;
  spec.preemptionPolicy = policy;
}

async function classOf(
  name: string,
  attributes: AdmissionAttributes,
  objects: CachedObjects,
): Promise<PriorityClass | undefined> {
  if (name === '') return defaultClass(objects);
  const found =
    (await objects.find<PriorityClass>(group, resource, '', name)) ??
    (await objects.findFresh<PriorityClass>(group, resource, '', name));
  if (found === undefined) throw refused(attributes, `no PriorityClass with name ${name} was found`);
  return found;
}

/** Two could have come at once: the lower one counts. */
async function defaultClass(objects: CachedObjects): Promise<PriorityClass | undefined> {
  let found: PriorityClass | undefined;
  for (const candidate of await objects.list<PriorityClass>(group, resource)) {
    if (candidate.globalDefault === true && (found === undefined || (candidate.value ?? 0) < (found.value ?? 0)))
      found = candidate;
  }
  return found;
}

async function checkOnlyDefault(attributes: AdmissionAttributes, objects: CachedObjects): Promise<void> {
  const other = await defaultClass(objects);
  if (other === undefined || (attributes.operation === 'UPDATE' && other.metadata.name === attributes.name)) return;
  throw refused(
    attributes,
    `PriorityClass ${other.metadata.name!} is already marked as default. Only one default can exist`,
  );
}
