/** Credentials for a registry from the image pull secrets of a pod, and from files of the node. */
import { readFile } from 'node:fs/promises';
import type { Pod, Secret } from '../../api/gen/types/core-v1.ts';
import type { ApiObjects } from '../pods/api-objects.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import type { AuthConfig } from '../runtime/gen/cri.ts';
import { fitsImage } from './credentials/match-image.ts';

/** Those that fit the image, the most exact ones first. A secret that is missing is an event. */
export async function pullSecrets(
  pod: Pod,
  image: string,
  objects: ApiObjects,
  events: PodEvents,
): Promise<AuthConfig[]> {
  const names = (pod.spec.imagePullSecrets ?? []).map(({ name = '' }) => name).filter((name) => name !== '');
  if (names.length === 0) return [];
  const found = await Promise.all(
    names.map((name) => objects.secret(pod.metadata.namespace ?? '', name).catch(() => undefined)),
  );
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length > 0)
    events.ofPod(
      pod,
      'Warning',
      'FailedToRetrieveImagePullSecret',
      `Unable to retrieve some image pull secrets (${missing.join(', ')}); ` +
        'attempting to pull the image may not succeed.',
    );
  return fitting(
    found.flatMap((secret) => (secret === undefined ? [] : registryEntries(secret))),
    image,
  );
}

/** The most exact ones first. */
const fitting = (entries: readonly RegistryEntry[], image: string): AuthConfig[] =>
  entries
    .filter(({ registry }) => fitsImage(registry, image))
    .sort((a, b) => b.registry.length - a.registry.length)
    .map(({ auth }) => auth);

/** Of the first file that is there, `config.json` as programs for containers write it. */
export async function nodeCredentials(image: string, folders: readonly string[]): Promise<AuthConfig[]> {
  for (const folder of folders) {
    const text = await readFile(`${folder}/config.json`, 'utf8').catch(() => undefined);
    if (text !== undefined) return fitting(entriesOf(text, true), image);
  }
  return [];
}

interface RegistryEntry {
  /** Host, port and path. */
  readonly registry: string;
  readonly auth: AuthConfig;
}

/** Of `.dockerconfigjson` and `.dockercfg`; what cannot be read has no entries. */
export function registryEntries({ data = {} }: Pick<Secret, 'data'>): RegistryEntry[] {
  const text = data['.dockerconfigjson'] ?? data['.dockercfg'];
  if (text === undefined) return [];
  return entriesOf(Buffer.from(text, 'base64').toString(), data['.dockerconfigjson'] !== undefined);
}

function entriesOf(text: string, hasAuths: boolean): RegistryEntry[] {
  try {
    const parsed = JSON.parse(text) as Record<string, unknown>;
    const auths = (hasAuths ? parsed['auths'] : parsed) as Record<string, DockerAuth>;
    return Object.entries(auths ?? {}).map(([registry, auth]) => ({
      registry: registry.replace(/^https?:\/\//, '').replace(/\/(v[12]\/?)?$/, ''),
      auth: authOf(auth),
    }));
  } catch {
    return [];
  }
}

interface DockerAuth {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

function authOf({ username, password, auth, identitytoken, registrytoken }: DockerAuth): AuthConfig {
  const decoded = auth === undefined ? '' : Buffer.from(auth, 'base64').toString();
  const colon = decoded.indexOf(':');
  return {
    username: username ?? decoded.slice(0, Math.max(colon, 0)),
    password: password ?? (colon < 0 ? '' : decoded.slice(colon + 1)),
    ...(identitytoken === undefined ? {} : { identityToken: identitytoken }),
    ...(registrytoken === undefined ? {} : { registryToken: registrytoken }),
  };
}
