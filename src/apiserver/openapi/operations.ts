/**
 * The operations of a resource, before either dialect: which paths and methods there are, what they take and return.
 * Names and extensions are upstream's, because generated clients are named after them.
 */
import type { ResourceInfo, SubresourceInfo } from '../../api/resources.ts';
import { schemas } from '../../api/schemas.ts';
import { byName, DELETE, DELETE_COLLECTION, LIST, nameOf, NAMESPACE, PATH, PRETTY, queryOf } from './parameters.ts';
import { read, create, replace, patch, deletion, article, type Details } from './verbs.ts';
import { MEDIA, PATCHES, ANY, ok, answers, STATUS, type Method, type Operation } from './operation.ts';

const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** Subresources that hand the connection over; every method they serve is a `connect`. */
const CONNECT: Readonly<Record<string, readonly Method[]>> = {
  attach: ['get', 'post'],
  exec: ['get', 'post'],
  portforward: ['get', 'post'],
  proxy: ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'],
};

/** `/apis/apps/v1`, and `/api/v1` for the core group. */
export const basePath = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** `RbacAuthorization` for `rbac.authorization.k8s.io`, `Core` for the core group. */
export function groupTitle(group: string): string {
  const words = group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split('.');
  return words.map(capitalized).join('');
}

export const groupTag = (group: string, version?: string): string => {
  const title = groupTitle(group);
  return title.charAt(0).toLowerCase() + title.slice(1) + (version === undefined ? '' : `_${version}`);
};

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export function resourceOperations(resource: ResourceInfo): Operation[] {
  const build = new ResourceOperations(resource);
  const found = [
    ...build.collection(),
    ...build.item(),
    ...(isCustom(resource) ? [] : build.watches()),
    ...resource.subresources.flatMap((sub) => build.subresource(sub)),
  ];
  return isCustom(resource) ? found.map(asCustom) : found;
}

const isCustom = ({ schema }: ResourceInfo): boolean => schema !== undefined;

const customPatches = PATCHES.filter((type) => type !== 'application/strategic-merge-patch+json');

/** Custom resources have no protobuf encoding, and no strategic merge. */
function asCustom(operation: Operation): Operation {
  const withoutProtobuf = (types: readonly string[]): string[] => types.filter((type) => !type.includes('protobuf'));
  const { consumes, produces } = operation;
  return {
    ...operation,
    produces: withoutProtobuf(produces),
    ...(consumes === undefined ? {} : { consumes: consumes === PATCHES ? customPatches : withoutProtobuf(consumes) }),
  };
}

class ResourceOperations {
  readonly #resource: ResourceInfo;
  readonly #type: string;
  readonly #base: string;
  /** Above the collection: `/apis/apps/v1/namespaces/{namespace}`. */
  readonly #scope: string;
  readonly #title: string;

  constructor(resource: ResourceInfo) {
    const { group, version, namespaced } = resource;
    this.#resource = resource;
    this.#type = resource.type;
    this.#base = basePath(group, version);
    this.#scope = namespaced ? '/namespaces/{namespace}' : '';
    this.#title = groupTitle(group) + capitalized(version);
  }

  collection(): Operation[] {
    const { name, kind, namespaced } = this.#resource;
    const path = `${this.#base}${this.#scope}/${name}`;
    const noun = this.#noun(kind);
    const found: Operation[] = [];
    if (this.#has('list')) {
      found.push(this.#operation(path, `list${noun}`, this.#list()));
      if (namespaced)
        found.push(this.#operation(`${this.#base}/${name}`, `list${this.#title}${kind}ForAllNamespaces`, this.#list()));
    }
    if (this.#has('create'))
      found.push(this.#operation(path, `create${noun}`, create(this.#type, `create ${article(kind)} ${kind}`)));
    if (this.#has('deletecollection')) {
      const noun = this.#noun(kind, 'Collection');
      const details = deletion('deletecollection', DELETE_COLLECTION(), `delete collection of ${kind}`, ok(STATUS));
      found.push(this.#operation(path, `delete${noun}`, details));
    }
    return found;
  }

  item(): Operation[] {
    const { name, kind, returnsDeleted } = this.#resource;
    const path = `${this.#base}${this.#scope}/${name}/{name}`;
    const noun = this.#noun(kind);
    const found: Operation[] = [];
    if (this.#has('get'))
      found.push(this.#operation(path, `read${noun}`, read(this.#type, `read the specified ${kind}`)));
    if (this.#has('update'))
      found.push(this.#operation(path, `replace${noun}`, replace(this.#type, `replace the specified ${kind}`)));
    if (this.#has('delete')) {
      const type = returnsDeleted ? this.#type : STATUS;
      const responses = answers(['200', 'OK', type], ['202', 'Accepted', type]);
      found.push(
        this.#operation(
          path,
          `delete${noun}`,
          deletion('delete', DELETE(), `delete ${article(kind)} ${kind}`, responses),
        ),
      );
    }
    if (this.#has('patch'))
      found.push(this.#operation(path, `patch${noun}`, patch(this.#type, `partially update the specified ${kind}`)));
    return found;
  }

  /** The watch paths of old, which take the parameters of a list. */
  watches(): Operation[] {
    if (!this.#has('watch')) return [];
    const { name, kind, namespaced } = this.#resource;
    const scoped = `${this.#base}/watch${this.#scope}/${name}`;
    const found: Operation[] = [];
    if (this.#has('list')) {
      found.push(this.#operation(scoped, `watch${this.#noun(kind)}List`, this.#watch('watchlist')));
      const id = `watch${this.#title}${kind}ListForAllNamespaces`;
      if (namespaced) found.push(this.#operation(`${this.#base}/watch/${name}`, id, this.#watch('watchlist')));
    }
    if (this.#has('get'))
      found.push(this.#operation(`${scoped}/{name}`, `watch${this.#noun(kind)}`, this.#watch('watch')));
    return found;
  }

  subresource(sub: SubresourceInfo): Operation[] {
    const { name, kind, apiVersion } = this.#resource;
    const path = `${this.#base}${this.#scope}/${name}/{name}/${sub.name}`;
    const type =
      sub.kind === kind && sub.apiVersion === apiVersion
        ? this.#type
        : (schemas.ofKind(sub.apiVersion, sub.kind) ?? '');
    const noun = this.#noun(kind) + capitalized(sub.name);
    const connect = CONNECT[sub.name];
    if (connect) return connect.flatMap((method) => this.#connect(path, method, sub, type));
    if (sub.name === 'log') return [this.#operation(path, `read${noun}`, this.#log())];
    const kindOfBody = kindOf(sub);
    const found: Operation[] = [];
    const add = (operationId: string, details: Details): void => {
      found.push(this.#operation(path, operationId, { ...details, kind: kindOfBody }));
    };
    if (sub.verbs.includes('get')) add(`read${noun}`, read(type, `read ${sub.name} of the specified ${kind}`));
    if (sub.verbs.includes('create'))
      add(`create${noun}`, create(type, `create ${sub.name} of ${article(kind)} ${kind}`));
    if (sub.verbs.includes('update'))
      add(`replace${noun}`, replace(type, `replace ${sub.name} of the specified ${kind}`));
    if (sub.verbs.includes('patch'))
      add(`patch${noun}`, patch(type, `partially update ${sub.name} of the specified ${kind}`));
    return found;
  }

  #connect(path: string, method: Method, sub: SubresourceInfo, type: string): Operation[] {
    const { kind } = this.#resource;
    const noun = this.#noun(kind, capitalized(method)) + capitalized(sub.name);
    const details: Details = {
      method,
      action: 'connect',
      description: `connect ${method.toUpperCase()} requests to ${sub.name} of ${kind}`,
      kind: kindOf(sub),
      query: queryOf([type]),
      consumes: ANY,
      produces: ANY,
      responses: ok('string'),
    };
    const found = [this.#operation(path, `connect${noun}`, details)];
    if (sub.name === 'proxy') found.push(this.#operation(`${path}/{path}`, `connect${noun}WithPath`, details));
    return found;
  }

  #log(): Details {
    return {
      method: 'get',
      action: 'get',
      description: `read log of the specified ${this.#resource.kind}`,
      consumes: ANY,
      query: [...queryOf(['core/v1.PodLogOptions']), PRETTY],
      produces: ['text/plain', ...MEDIA],
      responses: ok('string'),
    };
  }

  #list(): Details {
    const { kind } = this.#resource;
    return {
      method: 'get',
      action: 'list',
      description: `list or watch objects of kind ${kind}`,
      query: [...LIST(), PRETTY],
      consumes: ANY,
      produces: [...MEDIA, ...STREAMS],
      responses: ok(`${this.#type}List`),
    };
  }

  #watch(action: 'watch' | 'watchlist'): Details {
    const { kind } = this.#resource;
    const description =
      action === 'watch'
        ? `watch one object of kind ${kind}. Deprecated: list with watch and a field selector instead.`
        : `watch objects of kind ${kind}. Deprecated: list with watch instead.`;
    return {
      method: 'get',
      action,
      description,
      query: [...LIST(), PRETTY],
      consumes: ANY,
      produces: [...MEDIA, ...STREAMS],
      responses: ok('meta/v1.WatchEvent'),
    };
  }

  #has(verb: ResourceInfo['verbs'][number]): boolean {
    return this.#resource.verbs.includes(verb);
  }

  /** `AppsV1NamespacedDeployment`, with something before `Namespaced` for some actions. */
  #noun(kind: string, before = ''): string {
    return `${this.#title}${before}${this.#resource.namespaced ? 'Namespaced' : ''}${kind}`;
  }

  #operation(path: string, operationId: string, { query, ...details }: Details): Operation {
    const { group, version, kind } = this.#resource;
    const inPath = [
      ...(path.includes('{namespace}') ? [NAMESPACE] : []),
      ...(path.includes('{name}') ? [nameOf(kind)] : []),
      ...(path.includes('{path}') ? [PATH] : []),
    ];
    const parameters = [...inPath, ...query].sort(byName);
    return { kind: { group, version, kind }, ...details, path, operationId, tag: groupTag(group, version), parameters };
  }
}

function kindOf({ apiVersion, kind }: SubresourceInfo): NonNullable<Operation['kind']> {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, kind };
}
