import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  answeredObject,
  goldenCases,
  hasGolden,
  type GoldenCase,
  type GoldenStep,
} from '../../../test/support/golden.ts';
import { joined } from '../../../test/support/patterns.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { sharedPath } from '../../../test/support/shared.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import type { StatusError } from '../status.ts';
import { isObject, type JsonObject } from '../value.ts';
import {
  createBuiltInTypes,
  createCustomType,
  createFieldManager,
  type MergeType,
  type OwnershipRequest,
} from './index.ts';
import { fieldsOf, pathsOf, withoutNothing } from './testing/shown-fields.ts';

/**
 * The recorded managedFields of the reference server. What admission, defaults and allocation do is not here: each
 * step takes the object as the server answered it.
 */
const fieldManager = createFieldManager({ schemas });
const objectMeta = createBuiltInTypes(schemas).of('meta/v1.ObjectMeta');
const time = '2024-01-01T00:00:00Z';
const now = new Date(time);

/** Fields that admission and strategies set after managed fields were updated: they have no owner. */
const setByServer: Readonly<Record<string, RegExp>> = {
  Job: /^\.metadata\.labels|^\.spec\.selector|^\.spec\.template\.metadata\.labels/,
  Ingress: /^\.spec\.ingressClassName$/,
  Namespace: /^\.metadata\.labels|^\.spec\.finalizers$/,
  Node: /^\.spec\.taints$/,
  PersistentVolume: /^\.metadata\.finalizers/,
  PersistentVolumeClaim: /^\.metadata\.finalizers|^\.spec\.(dataSource|storageClassName)/,
  Pod: joined(
    /^\.spec\.(preemptionPolicy|priority|priorityClassName|tolerations|overhead|nodeSelector)/,
    /|^\.metadata\.annotations|\.resources\.|\.securityContext/,
  ),
  Service: /^\.spec\.(clusterIPs?|healthCheckNodePort|ipFamilies|ipFamilyPolicy)|\.nodePort$/,
};

/** Fields that were submitted and owned before a strategy dropped them from the object, or emptied them. */
const droppedByServer: Readonly<Record<string, string>> = {
  'EndpointSlice create empty': '.endpoints',
  'Pod create claim-unknown': '.spec.containers[name="app"].resources.claims',
  'Pod create resource-claim-both': '.spec.resourceClaims',
  'PersistentVolume create rich': '.spec.claimRef',
  'PersistentVolumeClaim create data-source-kind-missing': '.spec.dataSource',
  'StatefulSet create template-no-containers': '.spec.template.spec.containers',
};

/** Steps whose answer shows more, or less, than the change. */
const decidedElsewhere: Readonly<Record<string, string>> = {
  'defaulting-after-change, step 4': 'a controller writes the status between the steps',
  'cel-ratcheting, step 3': 'a controller writes the status between the steps',
  'subresources, step 5': 'the status subresource drops a label after it was owned',
  'deletion, step 7': 'a DELETE between the steps',
  'collection-finalizers, step 4': 'a DELETE between the steps',
  'apply-status-through-main, step 0': 'the main resource drops the status',
  'ephemeral-containers, step 2': 'the strategy takes the metadata of the old pod',
  'partial-metadata-create, step 1': 'the answer is a part of the object',
};

/** User agents that name themselves are not recorded. */
const managers: Readonly<Record<string, string>> = { 'patch-user-agent-manager, step 1': 'other' };

/** The fields of the whole kind that its strategy resets on the main resource. */
const resetOf = (kind: string): string[][] =>
  kind === 'CertificateSigningRequest' ? [['spec'], ['status']] : [['status']];

describe.skipIf(!hasGolden)('recorded field ownership (skipped where the recordings are absent)', () => {
  // Of servers with the usual plugins: others change objects after ownership was told.
  const files = hasGolden
    ? readdirSync(sharedPath('golden')).filter((file) => /^(?:kinds|protocol)-.*\.jsonl$/.test(file))
    : [];
  const cases = files.flatMap((file) => goldenCases(file));

  const creates = cases.flatMap((golden) => golden.steps.flatMap((step) => createdIn(golden, step)));
  test.each(creates)('Recorded field ownership, create: $title', ({ name, object, recorded }) => {
    const owned = fieldManager.update({
      live: undefined,
      object: unowned(object),
      manager: 'golden',
      subresource: '',
      apiVersion: object.apiVersion!,
      typeId: typeOf(object),
      now,
      resetFields: resetOf(object.kind!),
    });
    const [mine, theirs] = [pathsOf(owned), pathsOf(recorded)];
    const dropped = droppedByServer[name];
    expect(theirs.filter((path) => !mine.includes(path) && !(dropped && path.startsWith(dropped)))).toEqual([]);
    expect(mine.filter((path) => !theirs.includes(path) && !setByServer[object.kind!]?.test(path))).toEqual([]);
  });

  const changes = cases.filter(({ file }) => file.startsWith('protocol-')).flatMap((golden) => changesIn(golden));
  test.each(changes)('Recorded field ownership: $title', ({ change }) => change());
});

function createdIn(
  { name }: GoldenCase,
  step: GoldenStep,
): { title: string; name: string; object: KubeObject; recorded: ManagedFieldsEntry[] | undefined }[] {
  const object =
    step.request.method === 'POST' && step.response.status === 201
      ? (answeredObject(step) as KubeObject | undefined)
      : undefined;
  if (
    object === undefined ||
    object.metadata?.uid === undefined ||
    object.kind === 'PartialObjectMetadata' ||
    schemas.ofKind(object.apiVersion!, object.kind!) === undefined
  )
    return [];
  return [{ title: `${name}, ${object.kind}`, name, object, recorded: object.metadata.managedFields }];
}

/** Each change to an object whose state before is known. */
function changesIn({ name, steps }: GoldenCase): { title: string; change: () => void }[] {
  const objects = new Map<string, KubeObject>();
  const types = new Map<string, MergeType>();
  const found: { title: string; change: () => void }[] = [];
  steps.forEach((step, index) => {
    const answer = answeredObject(step) as KubeObject | undefined;
    if (answer?.kind === 'CustomResourceDefinition')
      customTypes(answer as JsonObject).forEach(([key, type]) => types.set(key, type));
    const place = placeOf(step);
    const title = `${name}, step ${index}`;
    const live = objects.get(place.key);
    const change =
      title in decidedElsewhere
        ? undefined
        : changeOf({ step, title, place, live: live && inVersion(live, place.apiVersion), answer, types });
    if (change !== undefined) found.push({ title: `${title}: ${step.request.method} ${step.response.status}`, change });
    if (answer?.metadata?.name !== undefined && answer.kind !== 'Scale')
      objects.set(step.request.method === 'POST' ? `${place.key}/${answer.metadata.name}` : place.key, answer);
  });
  return found;
}

interface Place {
  readonly apiVersion: string;
  readonly subresource: string;
  /** Of the object, whatever the version. */
  readonly key: string;
}

interface GoldenChange {
  readonly step: GoldenStep;
  readonly title: string;
  readonly place: Place;
  readonly live: KubeObject | undefined;
  readonly answer: KubeObject | undefined;
  readonly types: ReadonlyMap<string, MergeType>;
}

const subresources = ['status', 'scale', 'approval', 'ephemeralcontainers', 'finalize', 'binding', 'resize'];

function placeOf({ request }: GoldenStep): Place {
  const path = request.path.replace(/\?.*/, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  const subresource = subresources.includes(last) && request.method !== 'POST' ? last : '';
  const [, apiVersion = '', rest = path] =
    /^\/apis?\/(v1|[^/]+\/[^/]+)\/(.*)$/.exec(subresource === '' ? path : path.slice(0, -last.length - 1)) ?? [];
  return { apiVersion, subresource, key: `${apiVersion.replace(/\/.*/, '')}/${rest}` };
}

function changeOf(change: GoldenChange): (() => void) | undefined {
  const { request } = change.step;
  if (request.path.includes('dryRun') || !['PUT', 'PATCH'].includes(request.method)) return undefined;
  if (request.contentType !== 'application/apply-patch+yaml') return updateOf(change);
  return isObject(request.body) ? applyOf(change, request.body) : undefined;
}

function updateOf({ step, answer, live, ...rest }: GoldenChange): (() => void) | undefined {
  if (answer === undefined || live === undefined || answer.kind !== live.kind) return undefined;
  return () => {
    const { request } = step;
    const sent =
      request.method === 'PUT' && isObject(request.body)
        ? (request.body as KubeObject).metadata?.managedFields
        : live.metadata?.managedFields;
    const owned = fieldManager.update({
      ...base({ step, live, answer, ...rest }, answer.kind!),
      object: withEntries(answer, timed(sent)),
    });
    expect(readable(owned)).toEqual(readable(timed(answer.metadata?.managedFields)));
  };
}

function applyOf(change: GoldenChange, config: JsonObject): (() => void) | undefined {
  const {
    step: { request, response },
    answer,
    live,
  } = change;
  const kind = live?.kind ?? kindOfPath(request.path) ?? (config['kind'] as string);
  const run = () =>
    fieldManager.apply({ ...base(change, kind), kind, config, force: request.path.includes('force=true') });
  if (answer === undefined) return () => expectRefusal(run, response.body as JsonObject);
  return () => {
    const { object } = run();
    expect(readable(object.metadata?.managedFields)).toEqual(readable(timed(answer.metadata?.managedFields)));
    expect(answer).toMatchObject(withoutNothing(submitted(object)) as JsonObject);
  };
}

/** What apply itself refuses; identity and validation are checked elsewhere. */
function expectRefusal(run: () => unknown, { message, code, reason = '', details }: JsonObject): void {
  if (/^(Apply failed|failed to create typed|invalid object type)/.test(String(message)))
    expect(statusOf(run)).toMatchObject({ message, code, reason, ...(details !== undefined && { details }) });
  else expect(run).not.toThrow();
}

function base({ step, title, place, live, types }: GoldenChange, kind: string): OwnershipRequest {
  const manager = /[?&]fieldManager=([^&]*)/.exec(step.request.path)?.[1] ?? managers[title] ?? 'unknown';
  const typeIn = (apiVersion: string) => schemas.ofKind(apiVersion, kind) ?? types.get(`${apiVersion}/${kind}`);
  return {
    live: live && withEntries(live, timed(live.metadata?.managedFields)),
    manager,
    subresource: place.subresource,
    apiVersion: place.apiVersion,
    typeId: typeIn(place.apiVersion) ?? createCustomType(undefined, { objectMeta }),
    now,
    resetFields: place.subresource === '' ? resetOf(kind) : [],
    versions: {
      typeOf: typeIn,
      convert: (object: JsonObject, _from: string, to: string) => inVersion(object as KubeObject, to) as JsonObject,
    },
  };
}

/** Conversion of the recorded kinds with several versions: custom resources keep their fields, autoscaling does not. */
function inVersion(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion || apiVersion === '') return object;
  return object.kind === 'HorizontalPodAutoscaler'
    ? autoscalerIn(object as JsonObject, apiVersion)
    : { ...object, apiVersion };
}

interface AutoscalerSpec {
  targetCPUUtilizationPercentage?: number;
  metrics?: { resource: { target: { averageUtilization: number } } }[];
}

function autoscalerIn(object: JsonObject, apiVersion: string): KubeObject {
  const { targetCPUUtilizationPercentage: target, metrics, ...spec } = object['spec'] as AutoscalerSpec;
  const utilization = target ?? metrics?.[0]?.resource.target.averageUtilization;
  const inV2 = {
    ...spec,
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } } },
    ],
  };
  const converted = apiVersion === 'autoscaling/v1' ? { ...spec, targetCPUUtilizationPercentage: utilization } : inV2;
  return { ...object, apiVersion, spec: converted, status: {} } as KubeObject;
}

function customTypes(definition: JsonObject): [string, MergeType][] {
  const spec = definition['spec'] as {
    group: string;
    names: { kind: string };
    versions: { name: string; schema?: { openAPIV3Schema?: JsonObject } }[];
    preserveUnknownFields?: boolean;
  };
  return spec.versions.map(({ name, schema }) => [
    `${spec.group}/${name}/${spec.names.kind}`,
    createCustomType(schema?.openAPIV3Schema, {
      objectMeta,
      ...(spec.preserveUnknownFields && { preserveUnknownFields: true }),
    }),
  ]);
}

const kinds: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  pods: 'Pod',
  services: 'Service',
  deployments: 'Deployment',
};
const kindOfPath = (path: string): string | undefined => kinds[/\/([a-z]+)\/[^/?]+(\?|$)/.exec(path)?.[1] ?? ''];

const typeOf = (object: KubeObject): string => schemas.ofKind(object.apiVersion!, object.kind!)!;

const unowned = (object: KubeObject): KubeObject => withEntries(object, undefined);
const withEntries = (object: KubeObject, managedFields: ManagedFieldsEntry[] | undefined): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, managedFields },
});

/** Without what the server writes when it stores the object. */
const submitted = (object: KubeObject): JsonObject =>
  ({
    ...object,
    metadata: { ...object.metadata, managedFields: undefined, resourceVersion: undefined, generation: undefined },
  }) as unknown as JsonObject;

/** Recorded times are masked. */
const timed = (entries: ManagedFieldsEntry[] | undefined): ManagedFieldsEntry[] | undefined =>
  entries?.map((entry) => (entry.time === undefined ? entry : { ...entry, time }));

const readable = (entries: ManagedFieldsEntry[] | undefined) =>
  entries?.map((entry) => ({ ...entry, fieldsV1: fieldsOf(entry) }));

function statusOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('did not throw');
}
