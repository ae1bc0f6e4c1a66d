/**
 * Takes overhead, node selector and tolerations over from a pod's runtime class.
 * @see {@link https://kubernetes.io/docs/concepts/containers/runtime-class/ | Runtime Class}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { RuntimeClass } from '../../api/gen/types/node-v1.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import { createMap } from '../../machinery/value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout, refused } from './attributes.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import { mergeTolerations } from './merge-tolerations.ts';

const group = 'node.k8s.io';
const resource = 'runtimeclasses';

export function createRuntimeClass({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    handles: (operation) => operation === 'CREATE',
    admit(attributes) {
      return isAbout(attributes, '', 'pods') && (attributes.object as Pod).spec.runtimeClassName !== undefined
        ? takeOver(attributes, objects)
        : undefined;
    },
    validate(attributes) {
      if (!isAbout(attributes, '', 'pods')) return undefined;
      const { spec } = attributes.object as Pod;
      if (spec.runtimeClassName !== undefined) return validateOverhead(attributes, objects);
      if (spec.overhead !== undefined) throw overheadWithoutClass(attributes);
      return undefined;
    },
  };
}

async function classOf(attributes: AdmissionAttributes, objects: CachedObjects): Promise<RuntimeClass> {
  const name = (attributes.object as Pod).spec.runtimeClassName!;
  const found =
    (await objects.find<RuntimeClass>(group, resource, '', name)) ??
    (await objects.findFresh<RuntimeClass>(group, resource, '', name));
  if (found === undefined) throw refused(attributes, `pod rejected: RuntimeClass "${name}" not found`);
  return found;
}

async function takeOver(attributes: AdmissionAttributes, objects: CachedObjects): Promise<void> {
  const { overhead, scheduling } = await classOf(attributes, objects);
  const { spec } = attributes.object as Pod;
  if (overhead !== undefined) {
    checkSameOverhead(attributes, overhead.podFixed);
    if (overhead.podFixed !== undefined) spec.overhead = Object.assign(createMap<string>(), overhead.podFixed);
  }
  if (scheduling === undefined) return;
  for (const key of Object.keys(scheduling.nodeSelector ?? {}).sort()) {
    const wanted = scheduling.nodeSelector![key]!;
    spec.nodeSelector ??= createMap<string>();
    const own = spec.nodeSelector[key];
    if (own !== undefined && own !== wanted)
      throw refused(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    spec.nodeSelector[key] = wanted;
  }
  if (scheduling.tolerations !== undefined)
    spec.tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations);
}

async function validateOverhead(attributes: AdmissionAttributes, objects: CachedObjects): Promise<void> {
  const { overhead } = await classOf(attributes, objects);
  if (overhead !== undefined) checkSameOverhead(attributes, overhead.podFixed);
  else if ((attributes.object as Pod).spec.overhead !== undefined) throw overheadWithoutClass(attributes);
}

function checkSameOverhead(attributes: AdmissionAttributes, wanted: Readonly<Record<string, string>> = {}): void {
  const { overhead } = (attributes.object as Pod).spec;
  if (overhead === undefined) return;
  const isSame = (name: string): boolean =>
    overhead[name] !== undefined &&
    wanted[name] !== undefined &&
    quantityOf(overhead[name]).compare(quantityOf(wanted[name])) === 0;
  if (![...Object.keys(overhead), ...Object.keys(wanted)].every(isSame))
    throw refused(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

const overheadWithoutClass = (attributes: AdmissionAttributes): Error =>
  refused(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
