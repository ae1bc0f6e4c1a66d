/**
 * What the server serves: the built-in resources, which stay, and custom resources, which come and go with their
 * definitions. Discovery, OpenAPI, routing and metrics look here, so that they cannot disagree.
 */
import type { GroupVersionInfo, ResourceInfo } from '../api/resources.ts';
import { compareVersions } from '../machinery/version-order.ts';
import type { ServedResource } from './endpoints/served.ts';

export interface ServedApisOptions {
  /** In the order of discovery. */
  readonly groupVersions: readonly GroupVersionInfo[];
  /** By apiVersion, then by plural name. */
  readonly resources: ReadonlyMap<string, ReadonlyMap<string, ServedResource>>;
}

/** Groups of custom resources stand between those of the server and whatever asks to be last. */
const customGroupPriority = 1000;

export class ServedApis {
  readonly #builtIn: ServedApisOptions;
  readonly #custom = new Map<string, Map<string, ServedResource>>();
  #groupVersions: readonly GroupVersionInfo[];
  /** Resolves when the custom resources of the start are there. */
  #known: () => Promise<void> = () => Promise.resolve();

  constructor(builtIn: ServedApisOptions) {
    this.#builtIn = builtIn;
    this.#groupVersions = builtIn.groupVersions;
  }

  /** Another list after each change. */
  get groupVersions(): readonly GroupVersionInfo[] {
    return this.#groupVersions;
  }

  find(apiVersion: string, resource: string): ServedResource | undefined {
    return this.#builtIn.resources.get(apiVersion)?.get(resource) ?? this.#custom.get(apiVersion)?.get(resource);
  }

  /** Of a version that the server itself serves no resource is looked for elsewhere. */
  isBuiltIn(apiVersion: string): boolean {
    return this.#builtIn.resources.has(apiVersion);
  }

  isBuiltInGroup(group: string): boolean {
    return this.#builtIn.groupVersions.some((info) => info.group === group);
  }

  /** Who asks for something that is not there waits for this once. */
  known(): Promise<void> {
    return this.#known();
  }

  waitFor(known: () => Promise<void>): void {
    this.#known = known;
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
    this.#groupVersions = this.#merged();
  }

  #merged(): readonly GroupVersionInfo[] {
    const custom = [...this.#custom.values()].map((resources) => groupVersionOf([...resources.values()].map(({ info }) => info)));
    custom.sort((a, b) => compareTexts(a.group, b.group) || compareVersions(a.version, b.version));
    const own = custom.filter(({ group }) => !this.isBuiltInGroup(group));
    const joined = this.#builtIn.groupVersions.flatMap((info, i, all) => (all[i + 1]?.group === info.group ? [info] : [info, ...custom.filter(({ group }) => group === info.group)]));
    const after = joined.findIndex(({ groupPriority }) => groupPriority < customGroupPriority);
    return after < 0 ? [...joined, ...own] : [...joined.slice(0, after), ...own, ...joined.slice(after)];
  }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function groupVersionOf(resources: readonly ResourceInfo[]): GroupVersionInfo {
  const { group, version, apiVersion } = resources[0]!;
  return {
    group, version, apiVersion, types: '', groupPriority: customGroupPriority, versionPriority: 100, enabledByDefault: true, isCustom: true,
    resources: resources.toSorted((a, b) => compareTexts(a.name, b.name)),
  };
}
