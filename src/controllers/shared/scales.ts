/**
 * The scale of whatever controls pods, built-in or a custom resource: `/scale` of the resource that a reference names.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource
 *   | Scale subresource}
 */
import type { Clock } from '../../base/clock.ts';
import { isNotFound } from '../../client/api-error.ts';
import { discover } from '../../client/discovery/discover.ts';
import { apiVersionOf, type DiscoveredResource, type Discovery } from '../../client/discovery/resources.ts';
import type { Client } from '../../client/index.ts';
import { readObjectAnswer, statusErrorOf } from '../../client/status-answer.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';

export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

/** As `ResourceClient` takes it: the resource of an object that has a scale. */
export type ScaledResource = Pick<DiscoveredResource, 'group' | 'version' | 'resource'>;

/** How long discovered resources are believed. */
const freshMs = 30_000;
/** A kind that is not known may be new: the server is asked again, but not each time. */
const retryMs = 2_000;

/** Nothing that another try would change until an object does. */
export class NoScaleError extends Error {
  override readonly name: string = 'NoScaleError';
}

export class Scales {
  readonly #client: Client;
  readonly #clock: Clock;
  #known: { readonly discovery: Promise<Discovery>; readonly at: number } | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The resource of a kind. Rejects with a `NoScaleError` when the server does not have it. */
  async resourceOf(apiVersion: string, kind: string): Promise<ScaledResource> {
    const found = (await this.#discovery(freshMs)).ofKind(apiVersion, kind);
    if (found !== undefined) return found;
    const fresh = await this.#discovery(retryMs);
    const resource = fresh.ofKind(apiVersion, kind);
    if (resource !== undefined) return resource;
    const failure = fresh.failures.get(apiVersion);
    if (failure !== undefined) throw new Error(failure);
    throw new NoScaleError(`no matches for kind "${kind}" in version "${apiVersion}"`);
  }

  /** The same in any version. */
  async resourceInGroup(group: string, kind: string): Promise<ScaledResource> {
    const isIt = (resource: DiscoveredResource): boolean => resource.group === group && resource.kind === kind;
    const found = (await this.#discovery(freshMs)).preferred.find(isIt);
    if (found !== undefined) return found;
    const fresh = await this.#discovery(retryMs);
    const resource = fresh.preferred.find(isIt);
    if (resource !== undefined) return resource;
    for (const [apiVersion, failure] of fresh.failures)
      if (apiVersion.startsWith(`${group}/`)) throw new Error(failure);
    throw new NoScaleError(`no matches for kind "${kind}" in group "${group}"`);
  }

  /** Rejects as the server does; with 404 both for an object that is gone and for a resource without scale. */
  get(resource: ScaledResource, namespace: string, name: string): Promise<Scale> {
    return this.#scaleOf(resource, namespace).get(name);
  }

  update(resource: ScaledResource, namespace: string, scale: Scale): Promise<Scale> {
    return this.#scaleOf(resource, namespace).update(scale);
  }

  /** The same, without an object that is gone. Rejects with a `NoScaleError` for a resource without scale. */
  async find(resource: ScaledResource, namespace: string, name: string): Promise<Scale | undefined> {
    try {
      return await this.get(resource, namespace, name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (await this.#hasScale(resource)) return undefined;
      throw new NoScaleError(`${groupResource(resource)} does not implement the scale subresource`);
    }
  }

  #scaleOf({ group, version, resource }: ScaledResource, namespace: string) {
    return this.#client.dynamic({ group, version, resource }).namespace(namespace).subresource<Scale>('scale');
  }

  async #hasScale(resource: ScaledResource): Promise<boolean> {
    const apiVersion = apiVersionOf(resource);
    const path = resource.group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
    const answer = await this.#client.request({ method: 'GET', path, headers: { accept: 'application/json' } });
    try {
      if (answer.status !== 200) throw await statusErrorOf(answer);
      const { resources = [] } = (await readObjectAnswer(answer)) as { resources?: readonly ListedResource[] };
      return resources.some(({ name, kind }) => name === `${resource.resource}/scale` && kind === 'Scale');
    } finally {
      answer.end();
    }
  }

  #discovery(maxAgeMs: number): Promise<Discovery> {
    const now = this.#clock.now();
    if (this.#known === undefined || now - this.#known.at >= maxAgeMs) {
      const discovery = discover(this.#client);
      const known = { discovery, at: now };
      this.#known = known;
      discovery.catch(() => {
        if (this.#known === known) this.#known = undefined;
      });
    }
    return this.#known.discovery;
  }
}

interface ListedResource {
  readonly name?: string;
  readonly kind?: string;
}

/** `deployments.apps`; the core group has no name. */
export const groupResource = ({ group, resource }: ScaledResource): string =>
  group === '' ? resource : `${resource}.${group}`;
