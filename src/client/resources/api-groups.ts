/** The table of built-in resources as members of a client (`client.apps.v1.deployments`), made when they are used. */
import { groupVersions, type ResourceInfo, type SubresourceInfo } from '../../api/resources.ts';
import type { ApiGroups } from '../gen/api-groups.ts';
import type { Requests } from './requests.ts';
import { PodLogs } from '../streams/pod-logs.ts';
import { PodPortForward } from '../streams/port-forward.ts';
import { PodAttach, PodExec } from '../streams/remote-command.ts';
import { ResourceProxy } from '../streams/resource-proxy.ts';
import { ResourceClient } from './resource-client.ts';

/** Subresources that are streams, or any other protocol. */
export const streamed = {
  attach: PodAttach,
  exec: PodExec,
  log: PodLogs,
  portforward: PodPortForward,
  proxy: ResourceProxy,
} as const;

const isStreamed = (name: string): name is keyof typeof streamed => Object.hasOwn(streamed, name);

/** `apps`, `rbac` for rbac.authorization.k8s.io, `core` for the core group. */
export const groupProperty = (group: string): string => (group === '' ? 'core' : group.split('.', 1)[0]!);

/** Group → version → resource. */
type Tree = ReadonlyMap<string, ReadonlyMap<string, readonly ResourceInfo[]>>;

const tree: Tree = buildTree();

function buildTree(): Tree {
  const groups = new Map<string, Map<string, readonly ResourceInfo[]>>();
  for (const { group, version, resources } of groupVersions) {
    const property = groupProperty(group);
    const versions = groups.get(property) ?? new Map<string, readonly ResourceInfo[]>();
    versions.set(version, resources);
    groups.set(property, versions);
  }
  return groups;
}

export function addApiGroups<C extends object>(client: C, requests: Requests): C & ApiGroups {
  for (const [group, versions] of tree)
    addLazily(client, group, () => {
      const members = {};
      for (const [version, resources] of versions)
        addLazily(members, version, () => {
          const clients = {};
          for (const info of resources) addLazily(clients, info.name, () => new (classOf(info))(info, {}, requests));
          return clients;
        });
      return members;
    });
  return client as C & ApiGroups;
}

/**
 * A resource of the table. Its class has a getter for each subresource, which is made when it is first asked for:
 * clients of a namespace are made all the time.
 */
class BuiltInResource extends ResourceClient {
  readonly #info: ResourceInfo;
  readonly #requests: Requests;
  /** Requests about many objects are mostly about those of one namespace, one after the other. */
  #last: { readonly namespace: string; readonly client: BuiltInResource } | undefined;

  constructor(info: ResourceInfo, at: { readonly namespace?: string }, requests: Requests) {
    const { group, version, name: resource, kind } = info;
    super({ group, version, resource, kind, hasProtobuf: true, ...at }, requests);
    this.#info = info;
    this.#requests = requests;
  }

  override namespace(namespace: string): BuiltInResource {
    if (this.#last?.namespace !== namespace)
      this.#last = { namespace, client: new (classOf(this.#info))(this.#info, { namespace }, this.#requests) };
    return this.#last.client;
  }

  static subresourceOf(client: BuiltInResource, { name: subresource, kind, apiVersion }: SubresourceInfo): object {
    if (isStreamed(subresource)) return new streamed[subresource](client.target, client.#requests);
    return new ResourceClient({ ...client.target, subresource, kind, apiVersion }, client.#requests);
  }
}

const classes = new Map<ResourceInfo, typeof BuiltInResource>();

function classOf(info: ResourceInfo): typeof BuiltInResource {
  const known = classes.get(info);
  if (known !== undefined) return known;
  const made = class extends BuiltInResource {};
  for (const subresource of info.subresources)
    Object.defineProperty(made.prototype, subresource.name, {
      enumerable: true,
      get(this: BuiltInResource) {
        const value = BuiltInResource.subresourceOf(this, subresource);
        Object.defineProperty(this, subresource.name, { value, enumerable: true });
        return value;
      },
    });
  classes.set(info, made);
  return made;
}

function addLazily(target: object, name: string, make: () => object): void {
  Object.defineProperty(target, name, {
    enumerable: true,
    configurable: true,
    get: () => {
      const value = make();
      Object.defineProperty(target, name, { value, enumerable: true });
      return value;
    },
  });
}
