/**
 * Asks a server what it serves: by two documents where it has aggregated discovery (KEP-3352), else by one for each
 * group and version.
 */
import type { JsonObject, JsonValue } from '../../machinery/value.ts';
import { isObject } from '../../machinery/value.ts';
import type { Client } from '../client.ts';
import { isNotFound } from '../api-error.ts';
import { readObjectAnswer, statusErrorOf } from '../status-answer.ts';
import { apiVersionOf, type DiscoveredResource, type DiscoveredVersion, Discovery } from './resources.ts';

type Requester = Pick<Client, 'request'>;

const aggregatedType = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const accept = [aggregatedType('v2'), aggregatedType('v2beta1'), 'application/json'].join(',');

/** Rejects when the server cannot be asked. What it does not know of single groups is in `failures`. */
export async function discover(client: Requester, signal?: AbortSignal): Promise<Discovery> {
  const [core, groups] = await Promise.all(['/api', '/apis'].map((path) => document(client, path, signal)));
  const versions = await Promise.all([versionsIn(client, core!, signal), versionsIn(client, groups!, signal)]);
  return new Discovery(versions.flat());
}

async function document(client: Requester, path: string, signal?: AbortSignal): Promise<JsonObject> {
  const answer = await client.request({ method: 'GET', path, headers: { accept }, signal });
  try {
    if (answer.status !== 200) throw await statusErrorOf(answer);
    return (await readObjectAnswer(answer)) as JsonObject;
  } finally {
    answer.end();
  }
}

async function versionsIn(client: Requester, root: JsonObject, signal?: AbortSignal): Promise<DiscoveredVersion[]> {
  if (root['kind'] === 'APIGroupDiscoveryList') return objects(root['items']).flatMap(aggregatedVersions);
  const groups =
    root['kind'] === 'APIVersions'
      ? texts(root['versions']).map((version) => ({ group: '', version }))
      : objects(root['groups']).flatMap(versionsOfGroup);
  return Promise.all(groups.map((each) => legacyVersion(client, each, signal)));
}

function aggregatedVersions({ metadata, versions }: JsonObject): DiscoveredVersion[] {
  const group = text((metadata as JsonObject | undefined)?.['name']);
  return objects(versions).map((entry): DiscoveredVersion => {
    const version = text(entry['version']);
    if (entry['freshness'] === 'Stale')
      return {
        group,
        version,
        resources: [],
        failure: `stale GroupVersion discovery: ${apiVersionOf({ group, version })}`,
      };
    const resources = objects(entry['resources']).map((resource) => ({
      group,
      version,
      resource: text(resource['resource']),
      kind: text((resource['responseKind'] as JsonObject | undefined)?.['kind']),
      namespaced: resource['scope'] === 'Namespaced',
      verbs: new Set(texts(resource['verbs'])),
    }));
    return { group, version, resources: resources.filter(({ verbs }) => verbs.size > 0) };
  });
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The preferred version first. */
function versionsOfGroup({ name, versions, preferredVersion }: JsonObject): GroupVersion[] {
  const preferred = text((preferredVersion as JsonObject | undefined)?.['version']);
  const all = objects(versions).map(({ version }) => text(version));
  const first = all.filter((version) => version === preferred);
  return [...first, ...all.filter((version) => version !== preferred)].map((version) => ({
    group: text(name),
    version,
  }));
}

async function legacyVersion(
  client: Requester,
  { group, version }: GroupVersion,
  signal?: AbortSignal,
): Promise<DiscoveredVersion> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const list = await document(client, path, signal);
    return {
      group,
      version,
      resources: objects(list['resources']).flatMap((entry) => legacyResource(group, version, entry)),
    };
  } catch (error) {
    // A version that went between the two requests is none that is unknown.
    if (isNotFound(error)) return { group, version, resources: [] };
    if (signal?.aborted === true) throw error;
    return { group, version, resources: [], failure: (error as Error).message };
  }
}

function legacyResource(group: string, version: string, entry: JsonObject): DiscoveredResource[] {
  const resource = text(entry['name']);
  if (resource.includes('/')) return [];
  const verbs = new Set(texts(entry['verbs']));
  return [{ group, version, resource, kind: text(entry['kind']), namespaced: entry['namespaced'] === true, verbs }];
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
