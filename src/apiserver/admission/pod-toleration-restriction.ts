/**
 * Pods get the tolerations that their namespace has by default, and have none but those that it allows: by annotations,
 * or by the configuration of the plugin for namespaces without the annotation.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtolerationrestriction |
 *   PodTolerationRestriction}
 */
import { codecs } from '../../api/codecs.ts';
import type { Namespace, Pod, Toleration } from '../../api/gen/types/core-v1.ts';
import { qosClassOf } from '../../api/core/pods/qos.ts';
import { JsonBody } from '../../machinery/json/body.ts';
import { kindOf } from '../../machinery/json/go-types.ts';
import { notFound, plainError } from '../../machinery/status.ts';
import type { JsonValue } from '../../machinery/value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import { isAbout } from './attributes.ts';
import type { PodTolerationConfiguration } from './configuration/plugin-configuration.ts';
import { type AllowedTolerations, allowedTolerations, areAllowed, mergeTolerations } from './merge-tolerations.ts';

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const allowedAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

/** Nodes that are short of memory take no pods but those that have asked for some. */
const memoryPressure: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

export interface PodTolerationRestrictionOptions {
  readonly objects: CachedObjects;
  readonly configuration: PodTolerationConfiguration | undefined;
  readonly featureEnabled: (gate: string) => boolean;
}

interface Allowed {
  readonly tolerations: AllowedTolerations;
  readonly isEmpty: boolean;
}

const allowedOf = (list: readonly Toleration[]): Allowed => ({
  tolerations: allowedTolerations(list),
  isEmpty: list.length === 0,
});

/** Objects of namespaces are shared between requests: what an annotation says is read once per version. */
function remembered<T>(read: (namespace: Namespace) => T): (namespace: Namespace) => T {
  const known = new WeakMap<Namespace, { readonly value: T }>();
  return (namespace) => {
    let entry = known.get(namespace);
    if (entry === undefined) known.set(namespace, (entry = { value: read(namespace) }));
    return entry.value;
  };
}

export function createPodTolerationRestriction({
  objects,
  configuration,
  featureEnabled,
}: PodTolerationRestrictionOptions): AdmissionPlugin {
  const ofCluster = { defaults: configuration?.default ?? [], allowed: allowedOf(configuration?.whitelist ?? []) };
  const defaultsOf = remembered((namespace) => listedIn(namespace, defaultsAnnotation));
  const allowedBy = remembered((namespace) => {
    const listed = listedIn(namespace, allowedAnnotation);
    return listed === undefined ? undefined : allowedOf(listed);
  });
  const namespaceOf = async ({ namespace: name }: AdmissionAttributes): Promise<Namespace> => {
    const found =
      (await objects.find<Namespace>('', 'namespaces', '', name)) ??
      (await objects.findFresh<Namespace>('', 'namespaces', '', name));
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
    return found;
  };
  const check = async (attributes: AdmissionAttributes): Promise<void> => {
    const { tolerations = [] } = (attributes.object as Pod).spec;
    if (tolerations.length === 0) return;
    const own = allowedBy(await namespaceOf(attributes));
    const { tolerations: allowed, isEmpty } = own ?? ofCluster.allowed;
    if (isEmpty || areAllowed(tolerations, allowed)) return;
    throw plainError(
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its ' +
        `${own === undefined ? 'cluster' : 'namespace'} whitelist`,
    );
  };
  return {
    name: 'PodTolerationRestriction',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    async admit(attributes) {
      if (!isAbout(attributes, '', 'pods')) return;
      const { spec } = attributes.object as Pod;
      const added: Toleration[] = [];
      if (attributes.operation === 'CREATE')
        added.push(...(defaultsOf(await namespaceOf(attributes)) ?? ofCluster.defaults));
      if (qosClassOf(spec, featureEnabled('PodLevelResources')) !== 'BestEffort') added.push(memoryPressure);
      if (added.length > 0)
        spec.tolerations = mergeTolerations(
          spec.tolerations ?? [],
          added.map((toleration) => ({ ...toleration })),
        );
      await check(attributes);
    },
    validate: (attributes) => (isAbout(attributes, '', 'pods') ? check(attributes) : undefined),
  };
}

/** Undefined without the annotation, none where it is empty. */
function listedIn({ metadata }: Namespace, annotation: string): readonly Toleration[] | undefined {
  const text = metadata?.annotations?.[annotation];
  if (text === undefined || text === '') return text === undefined ? undefined : [];
  try {
    return tolerationsOf(new JsonBody(text).value().value);
  } catch (error) {
    // It is not the client's text that is wrong: upstream answers with a bare error.
    throw plainError((error as Error).message, { cause: error });
  }
}

function tolerationsOf(value: JsonValue): Toleration[] {
  if (value === null) return [];
  if (!Array.isArray(value))
    throw new Error(`json: cannot unmarshal ${kindOf(value)} into Go value of type []v1.Toleration`);
  const codec = codecs.of('core/v1.Toleration');
  return value.map((item) => codec.normalize(item).value as Toleration);
}
