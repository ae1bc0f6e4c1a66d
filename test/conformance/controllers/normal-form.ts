/** Objects as the recordings show them: without what differs from run to run, and without defaults of pods. */
import type { JsonObject, JsonValue } from '../../../src/machinery/value.ts';
import { membersOf } from './json.ts';
import type { Masks } from './tokens.ts';

const left = new Set(['name', 'namespace', 'creationTimestamp', 'resourceVersion', 'generation', 'managedFields']);

/** Written by controllers of endpoints or not, by timing. */
const changeTriggerTime = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * An object of the API in normal form; placeholders carry their values (see `tokens.ts`).
 *
 * @param resource since items of a list do not say their kind
 */
export function normalForm(object: JsonObject, masks: Masks, resource: string): JsonObject {
  const { apiVersion: _, kind: __, metadata, status, ...rest } = object;
  const { generation } = metadata as { generation?: number };
  const whole = {
    metadata: metadataForm(metadata as JsonObject, /^endpoint(s|slices)$/.test(resource)),
    ...rest,
    ...(status === undefined ? {} : { status: statusForm(status as JsonObject, generation) }),
  } as JsonObject;
  if (isPodSpec(whole['spec'])) whole['spec'] = podSpecForm(whole['spec']);
  if ('data' in whole && typeof whole['type'] === 'string') whole['data'] = secretDataForm(whole['data'] as JsonObject);
  return masked(walk(whole, undefined), masks) as JsonObject;
}

function metadataForm(metadata: JsonObject, isOfEndpoints: boolean): JsonObject {
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !left.has(name)));
  const { annotations, ...rest } = kept as { annotations?: JsonObject };
  if (annotations === undefined || !isOfEndpoints) return kept as JsonObject;
  const { [changeTriggerTime]: _, ...others } = annotations;
  return (Object.keys(others).length === 0 ? rest : { ...rest, annotations: others }) as JsonObject;
}

/** Conditions may say a generation of their own. */
function statusForm(status: JsonObject, generation: number | undefined): JsonObject {
  const { nodeInfo: _, ...rest } = status;
  const form = (name: string, value: JsonValue): JsonValue => {
    if (name === 'observedGeneration') return value === generation ? '<generation>' : '<older>';
    if (name !== 'conditions' || !Array.isArray(value)) return value;
    return value.map((condition) => statusForm(condition as JsonObject, generation));
  };
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, form(name, value!)]));
}

/** Texts of a Secret can be read; certificates are one placeholder. */
function secretDataForm(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const text = Buffer.from(String(value), 'base64').toString();
      if (isCertificate(text)) return [name, '<certificate>'];
      return [name, `base64 of ${isToken(text) ? '<jwt>' : text}`];
    }),
  );
}

const isCertificate = (text: string): boolean => text.includes('-----BEGIN CERTIFICATE-----');

/** Signed, with a payload: the detached signatures of bootstrap tokens stay as they are. */
const isToken = (text: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text);

type Sorted = readonly [member: string, key: (item: JsonObject) => string];

const sortedLists: readonly Sorted[] = [
  ['conditions', (item) => String(item['type'])],
  ['taints', (item) => `${String(item['key'])} ${String(item['effect'])}`],
  ['endpoints', (item) => JSON.stringify(item['addresses'])],
  ['subsets', (item) => JSON.stringify([item['ports'], item['addresses'], item['notReadyAddresses']])],
];

/** Everything below an object: templates of pods, references with versions, lists without an order. */
function walk(value: JsonValue, member: string | undefined): JsonValue {
  if (Array.isArray(value))
    return inOrder(
      member,
      value.map((item) => walk(item, undefined)),
    );
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    membersOf(value).flatMap(([name, item]): [string, JsonValue][] => {
      if (name === 'resourceVersion') return [[name, '<rv>']];
      if (name === 'template' || name === 'jobTemplate') return [[name, walk(templateForm(item), name)]];
      if (name === 'volumeClaimTemplates' && Array.isArray(item)) return [[name, item.map(templateForm)]];
      return [[name, walk(item, name)]];
    }),
  );
}

function inOrder(member: string | undefined, items: JsonValue[]): JsonValue[] {
  const key = sortedLists.find(([name]) => name === member)?.[1];
  const areObjects = items.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  return key === undefined || !areObjects
    ? items
    : (items as JsonObject[]).toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function templateForm(template: JsonValue): JsonValue {
  if (typeof template !== 'object' || template === null || Array.isArray(template)) return template;
  const { metadata, spec, ...rest } = template as { metadata?: JsonObject; spec?: JsonObject } & JsonObject;
  const { creationTimestamp: _, ...kept } = metadata ?? {};
  return {
    ...rest,
    ...(Object.keys(kept).length === 0 ? {} : { metadata: kept as JsonObject }),
    ...(spec === undefined ? {} : { spec: isPodSpec(spec) ? podSpecForm(spec) : spec }),
  };
}

const isPodSpec = (spec: JsonValue | undefined): spec is JsonObject =>
  typeof spec === 'object' && spec !== null && 'containers' in spec;

/** What the API server sets in every pod. */
const podDefaults: Readonly<Record<string, JsonValue>> = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  securityContext: {},
  schedulerName: 'default-scheduler',
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
  priority: 0,
  serviceAccount: 'default',
  serviceAccountName: 'default',
};

const containerDefaults: Readonly<Record<string, JsonValue>> = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  resources: {},
};

/** Those that the admission plugin DefaultTolerationSeconds adds. */
const defaultTolerations = ['not-ready', 'unreachable'].map((state) => `node.kubernetes.io/${state}`);

const isTokenVolume = (item: JsonValue): boolean => String((item as JsonObject)['name']).startsWith('kube-api-access-');

const isDefaultToleration = (item: JsonValue): boolean => {
  const { key, operator, effect, tolerationSeconds } = item as JsonObject;
  return (
    defaultTolerations.includes(String(key)) &&
    operator === 'Exists' &&
    effect === 'NoExecute' &&
    tolerationSeconds === 300
  );
};

function podSpecForm(spec: JsonObject): JsonObject {
  const kept = withoutDefaults(spec, podDefaults);
  for (const member of ['containers', 'initContainers', 'ephemeralContainers']) {
    const containers = kept[member];
    if (Array.isArray(containers))
      kept[member] = containers.map((container) => {
        const form = withoutDefaults(container as JsonObject, containerDefaults);
        withoutItems(form, 'volumeMounts', isTokenVolume);
        return form;
      });
  }
  withoutItems(kept, 'volumes', isTokenVolume);
  withoutItems(kept, 'tolerations', isDefaultToleration);
  return kept;
}

function withoutDefaults(object: JsonObject, defaults: Readonly<Record<string, JsonValue>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([name, value]) => !(name in defaults) || JSON.stringify(defaults[name]) !== JSON.stringify(value),
    ),
  );
}

/** A list that gets empty goes away. */
function withoutItems(object: JsonObject, member: string, isLeftOut: (item: JsonValue) => boolean): void {
  const items = object[member];
  if (!Array.isArray(items)) return;
  const kept = items.filter((item) => !isLeftOut(item));
  if (kept.length > 0) object[member] = kept;
  else delete object[member];
}

/** Texts and names of members with their placeholders. */
export function masked(value: JsonValue, masks: Masks): JsonValue {
  if (typeof value === 'string') return certificateOr(value, masks);
  if (Array.isArray(value)) return value.map((item) => masked(item, masks));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(membersOf(value).map(([name, item]) => [masks.text(name), masked(item, masks)]));
}

/** Issued certificates are base64 once more. */
const certificateOr = (text: string, masks: Masks): string =>
  isCertificate(text) || (text.startsWith('LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t') && text.length > 200)
    ? '<certificate>'
    : masks.text(text);
