/**
 * What the server serves: the built-in resources, which stay, custom resources, which come and go with their
 * definitions, and the group versions that it passes on to others. Discovery, OpenAPI, routing and metrics look here,
 * so that they cannot disagree.
 */
import type { GroupVersionInfo, ResourceInfo } from '../api/resources.ts';
import { compareVersions } from '../machinery/version-order.ts';
import { isObject } from '../machinery/value.ts';
import { pathsUnknown } from './request/request-errors.ts';
import type { ServedResource } from './served/served-resource.ts';

export interface ServedApisOptions {
  /** In the order of discovery. */
  readonly groupVersions: readonly GroupVersionInfo[];
  /** By apiVersion, then by plural name. */
  readonly resources: ReadonlyMap<string, ReadonlyMap<string, ServedResource>>;
}

/** How much of group version, resource and subresource. */
export type KnownNames = 'nothing' | 'version' | 'resource' | 'subresource';

/** Groups of custom resources stand between those of the server and whatever asks to be last. */
const customGroupPriority = 1000;
const customVersionPriority = 100;

export class ServedApis {
  readonly #builtIn: ServedApisOptions;
  readonly #custom = new Map<string, Map<string, ServedResource>>();
  #remote: readonly GroupVersionInfo[] = [];
  #groupVersions: readonly GroupVersionInfo[];
  #own: readonly GroupVersionInfo[];
  readonly #listeners = new Set<() => void>();
  /** Resolve when what else is served at the start is there, and reject while that cannot be read. */
  readonly #known: (() => Promise<void>)[] = [];

  constructor(builtIn: ServedApisOptions) {
    this.#builtIn = builtIn;
    this.#groupVersions = this.#own = builtIn.groupVersions;
  }

  /** In the order of discovery. Another list after each change. */
  get groupVersions(): readonly GroupVersionInfo[] {
    return this.#groupVersions;
  }

  /** Without those of others. Another list after each change. */
  get ownGroupVersions(): readonly GroupVersionInfo[] {
    return this.#own;
  }

  /** Those with custom resources, whichever server answers them. */
  get customGroupVersions(): readonly GroupVersionInfo[] {
    return [...this.#custom.values()].map((resources) =>
      groupVersionOf([...resources.values()].map(({ info }) => info)),
    );
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  find(apiVersion: string, resource: string): ServedResource | undefined {
    return this.#builtIn.resources.get(apiVersion)?.get(resource) ?? this.#custom.get(apiVersion)?.get(resource);
  }

  /** How far the names in a path are those of something that is there: of others, what they say they have. */
  knows(apiVersion: string, resource: string, subresource: string): KnownNames {
    const own = this.find(apiVersion, resource)?.info.subresources.map(({ name }) => name);
    if (own !== undefined) return subresource === '' || own.includes(subresource) ? 'subresource' : 'resource';
    const remote = this.#remote.find((info) => info.apiVersion === apiVersion)?.remote;
    if (remote === undefined) return 'nothing';
    const entry = remote.resources?.find((candidate) => candidate['resource'] === resource);
    if (entry === undefined) return 'version';
    const subresources = Array.isArray(entry['subresources']) ? entry['subresources'] : [];
    return subresource === '' ||
      subresources.some((candidate) => isObject(candidate) && candidate['subresource'] === subresource)
      ? 'subresource'
      : 'resource';
  }

  /** Of a version that the server itself serves no resource is looked for elsewhere. */
  isBuiltIn(apiVersion: string): boolean {
    return this.#builtIn.resources.has(apiVersion);
  }

  isBuiltInGroup(group: string): boolean {
    return this.#builtIn.groupVersions.some((info) => info.group === group);
  }

  /**
   * A request for an unknown API waits for this once. Throws the answer while the served APIs are unknown.
   */
  async known(): Promise<void> {
    await Promise.all(this.#known.map((known) => known())).catch((): never => {
      throw pathsUnknown();
    });
  }

  waitFor(known: () => Promise<void>): void {
    this.#known.push(known);
  }

  /** Replaces what others answer. They come before what this server has of the same group version. */
  setRemote(groupVersions: readonly GroupVersionInfo[]): void {
    this.#remote = groupVersions;
    this.#refresh();
  }

  /** Replaces what was served of a custom resource. */
  replace(old: readonly ServedResource[], next: readonly ServedResource[]): void {
    for (const { info } of old) {
      const resources = this.#custom.get(info.apiVersion);
      resources?.delete(info.name);
      if (resources?.size === 0) this.#custom.delete(info.apiVersion);
    }
    for (const served of next) {
      const { apiVersion, name } = served.info;
      if (this.isBuiltIn(apiVersion)) continue;
      let resources = this.#custom.get(apiVersion);
      if (resources === undefined) this.#custom.set(apiVersion, (resources = new Map()));
      resources.set(name, served);
    }
    this.#refresh();
  }

  #refresh(): void {
    const remote = new Set(this.#remote.map(({ apiVersion }) => apiVersion));
    const local = [...this.#builtIn.groupVersions, ...this.customGroupVersions].filter(
      ({ apiVersion }) => !remote.has(apiVersion),
    );
    this.#groupVersions = inOrder([...local, ...this.#remote]);
    this.#own = this.#groupVersions.filter((info) => info.remote === undefined);
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Groups by the highest priority that any of their versions gives them, then by name; versions by their own, then the
 * more stable and newer first.
 *
 * @NOTE differs from upstream: what this server has stands here without its APIServices too, by its own priorities.
 */
function inOrder(groupVersions: readonly GroupVersionInfo[]): GroupVersionInfo[] {
  const priorities = new Map<string, number>();
  for (const { group, groupPriority } of groupVersions)
    priorities.set(group, Math.max(groupPriority, priorities.get(group) ?? 0));
  return groupVersions.toSorted(
    (a, b) =>
      priorities.get(b.group)! - priorities.get(a.group)! ||
      compareTexts(a.group, b.group) ||
      b.versionPriority - a.versionPriority ||
      compareVersions(a.version, b.version),
  );
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function groupVersionOf(resources: readonly ResourceInfo[]): GroupVersionInfo {
  const { group, version, apiVersion } = resources[0]!;
  return {
    group,
    version,
    apiVersion,
    types: '',
    groupPriority: customGroupPriority,
    versionPriority: customVersionPriority,
    enabledByDefault: true,
    isCustom: true,
    resources: resources.toSorted((a, b) => compareTexts(a.name, b.name)),
  };
}
