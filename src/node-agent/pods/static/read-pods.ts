/** Reads the pods of a file or an address: their first document, with defaults, and named after the node. */
import { createHash } from 'node:crypto';
import { codecs } from '../../../api/codecs.ts';
import { setPodDefaults } from '../../../api/core/pods/defaults.ts';
import { podValidationOptions } from '../../../api/core/pods/validation-options.ts';
import { validatePod } from '../../../api/core/pods/validation.ts';
import { isGateOn } from '../../../api/feature-gates.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { schemas } from '../../../api/schemas.ts';
import { aggregateText } from '../../../machinery/field-error.ts';
import { encodeJson } from '../../../machinery/json/writer.ts';
import { readYaml } from '../../../machinery/json/yaml.ts';
import type { JsonObject } from '../../../machinery/value.ts';
import { isPodUid } from '../pods-config.ts';
import { configHash, configSeen, configSource } from './static-pod.ts';

export interface StaticOrigin {
  /** `file:/etc/pods/a.yaml`, `url:http://…` */
  readonly place: string;
  readonly source: 'file' | 'http';
  readonly nodeName: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Throws an error that says what is wrong with the text or a pod of it. */
export function readPods(text: string, origin: StaticOrigin): Pod[] {
  const body = readYaml(text);
  const typeMeta = body.typeMeta();
  if (typeMeta.kind !== 'Pod' && typeMeta.kind !== 'PodList')
    throw new Error(`it is ${typeMeta.kind === '' ? 'an object without kind' : `a ${typeMeta.kind}`}, not a Pod`);
  const typeId = schemas.ofKind(typeMeta.apiVersion, typeMeta.kind);
  if (typeId === undefined) throw new Error(`there is no ${typeMeta.kind} of version ${typeMeta.apiVersion}`);
  const { value, problems } = codecs.of(typeId).fromJson(body);
  if (problems.length > 0) throw new Error(problems.join(', '));
  const pods = typeMeta.kind === 'Pod' ? [value] : ((value as { items?: JsonObject[] }).items ?? []);
  return pods.map((pod) => staticPod(pod as unknown as Pod, origin));
}

/**
 * The same content from the same place is the same pod: what an agent finds running when it starts again is what the
 * file says.
 */
function staticPod(read: Pod, { place, source, nodeName, nowMs }: StaticOrigin): Pod {
  const { metadata, spec } = read;
  const uid = metadata.uid || hashOf(read, nodeName, place);
  if (!isPodUid(uid)) throw new Error(`metadata.uid: Invalid value: ${JSON.stringify(uid)}: it becomes part of paths`);
  const name = `${metadata.name ?? ''}-${nodeName.toLowerCase()}`;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name,
      namespace: metadata.namespace || 'default',
      uid,
      annotations: {
        ...metadata.annotations,
        [configHash]: uid,
        [configSource]: source,
        [configSeen]: new Date(nowMs).toISOString(),
      },
    },
    spec: { ...spec, nodeName, ...(source === 'file' ? { tolerations: withNoExecute(spec) } : {}) },
    status: { phase: 'Pending' },
  };
  setPodDefaults(pod);
  const errors = validatePod(
    pod,
    podValidationOptions({ enabled: (gate) => isGateOn(gate), allowPrivileged: true }, true),
  );
  if (errors.length > 0) throw new Error(`the pod ${name} is invalid: ${aggregateText(errors)}`);
  return pod;
}

const withNoExecute = ({ tolerations = [] }: Pod['spec']) =>
  tolerations.some(({ key = '', operator, effect }) => key === '' && operator === 'Exists' && effect === 'NoExecute')
    ? tolerations
    : [...tolerations, { operator: 'Exists' as const, effect: 'NoExecute' as const }];

const hashOf = (pod: Pod, nodeName: string, place: string): string =>
  createHash('md5')
    .update(encodeJson(pod as unknown as JsonObject))
    .update(`host:${nodeName}${place}`)
    .digest('hex');
