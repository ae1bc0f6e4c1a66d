/**
 * `--authorization-mode=Node`: what a node may do. Secrets, config maps, volumes and service accounts only as far as
 * its pods need them; of nodes, leases and CSI nodes its own; the rest by the rules of role `system:node`.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/node/ | Using Node Authorization}
 */
import type { PolicyRule } from '../../../api/gen/types/rbac-v1.ts';
import {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  type Authorizer,
  noOpinion,
  noRules,
} from '../../../auth/authorization/authorizer.ts';
import { Grants } from '../rbac/grants.ts';
import type { GraphKind, NodeGraph } from './graph.ts';
import { nodeOf } from './identity.ts';

export interface NodeAuthorizerOptions {
  readonly graph: NodeGraph;
  /** A promise until the graph is complete. */
  readonly loading: () => Promise<void> | undefined;
  /** Of role `system:node`. */
  readonly rules: readonly PolicyRule[];
  /** Whether a node sees itself and its pods only (feature gate AuthorizeNodeWithSelectors). */
  readonly ownOnly: boolean;
}

type Judge = (node: string, attributes: AuthorizationAttributes, graph: NodeGraph) => AuthorizationDecision;

const allow: AuthorizationDecision = { decision: 'allow', reason: '' };
const no = (reason: string): AuthorizationDecision => ({ decision: 'noOpinion', reason });

export function createNodeAuthorizer({ graph, loading, rules, ownOnly }: NodeAuthorizerOptions): Authorizer {
  const grants = new Grants([{ rules, describe: () => '' }]);
  const judges = ownOnly ? { ...ownResources, ...ownNodeAndPods } : ownResources;
  const judge = (node: string, attributes: AuthorizationAttributes): AuthorizationDecision => {
    const { group, resource, subresource, isResourceRequest } = attributes;
    const own =
      isResourceRequest && Object.hasOwn(judges, `${group}/${resource}`) ? judges[`${group}/${resource}`] : undefined;
    if (own !== undefined) return own(node, attributes, graph);
    return grants.find(attributes, subresource === '' ? resource : `${resource}/${subresource}`) === undefined
      ? noOpinion
      : allow;
  };
  return {
    authorize(attributes) {
      const node = nodeOf(attributes.user);
      if (node === undefined) return noOpinion;
      if (node === '') return no(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
      return (
        loading()?.then(
          () => judge(node, attributes),
          () => ({ ...noOpinion, error: 'Node: the pods could not be read from the store yet' }),
        ) ?? judge(node, attributes)
      );
    },
    rulesFor: (user) =>
      nodeOf(user) === undefined
        ? noRules
        : { ...noRules, incomplete: true, error: 'node authorizer does not support user rule resolution' },
  };
}

function related(kind: GraphKind): Judge {
  return (node, { namespace, name }, graph) => {
    if (name === '') return no('No Object name found');
    return graph.isRelated(node, kind, namespace, name)
      ? allow
      : no(`no relationship found between node '${node}' and this object`);
  };
}

const readOf =
  (kind: GraphKind): Judge =>
  (node, attributes, graph) => {
    const { verb, subresource, namespace } = attributes;
    if (verb !== 'get' && verb !== 'list' && verb !== 'watch') return no('can only read resources of this type');
    if (subresource !== '') return no('cannot read subresource');
    return namespace === ''
      ? no('can only read namespaced object of this type')
      : related(kind)(node, attributes, graph);
  };

const getOf =
  (kind: GraphKind): Judge =>
  (node, attributes, graph) => {
    if (attributes.verb !== 'get') return no('can only get individual resources of this type');
    return attributes.subresource !== '' ? no('cannot get subresource') : related(kind)(node, attributes, graph);
  };

const claims: Judge = (node, attributes, graph) => {
  const { verb, subresource } = attributes;
  if (subresource !== 'status') return getOf('claim')(node, attributes, graph);
  return verb === 'get' || verb === 'update' || verb === 'patch'
    ? related('claim')(node, attributes, graph)
    : no('can only get/update/patch this type');
};

const tokens: Judge = (node, attributes, graph) => {
  const { verb, name, subresource } = attributes;
  if (verb !== 'create' || name === '') return no('can only create tokens for individual service accounts');
  return subresource === 'token'
    ? related('serviceAccount')(node, attributes, graph)
    : no('can only create token subresource of serviceaccount');
};

const writeVerbs = ['get', 'create', 'update', 'patch', 'delete'];

const leases: Judge = (node, { verb, namespace, name }) => {
  if (!writeVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (namespace !== 'kube-node-lease') return no('can only access leases in the "kube-node-lease" system namespace');
  return verb === 'create' || name === node
    ? allow
    : no('can only access node lease with the same name as the requesting node');
};

const csiNodes: Judge = (node, { verb, subresource, name }) => {
  if (!writeVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return no('cannot authorize CSINode subresources');
  return verb === 'create' || name === node
    ? allow
    : no('can only access CSINode with the same name as the requesting node');
};

const slices =
  (ownOnly: boolean): Judge =>
  (node, attributes, graph) => {
    const { verb, subresource } = attributes;
    if (subresource !== '') return no('cannot authorize ResourceSlice subresources');
    if (verb === 'create') return allow;
    if (verb === 'list' || verb === 'watch' || verb === 'deletecollection') {
      return !ownOnly || selectsNode(attributes, node)
        ? allow
        : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
    }
    if (writeVerbs.includes(verb)) return related('resourceSlice')(node, attributes, graph);
    return no(
      'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, ' +
        'delete, deletecollection',
    );
  };

const selectsNode = ({ fieldSelector = [] }: AuthorizationAttributes, node: string): boolean =>
  fieldSelector.some(({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === node);

/** Which node an object is written for is admission's to judge (NodeRestriction): here the body has not been read. */
const nodes: Judge = (node, { verb, subresource, name }) => {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (verb === 'create' || verb === 'update' || verb === 'patch') return allow;
  if (verb !== 'get' && verb !== 'list' && verb !== 'watch') return noOpinion;
  if (name === node) return allow;
  return no(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
};

const pods: Judge = (node, attributes, graph) => {
  const { verb, subresource, name } = attributes;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? allow : noOpinion;
  if (subresource === 'eviction') return verb === 'create' ? allow : noOpinion;
  if (subresource !== '') return noOpinion;
  if (verb === 'create' || verb === 'delete') return allow;
  if (verb === 'get') return related('pod')(node, attributes, graph);
  if (verb !== 'list' && verb !== 'watch') return noOpinion;
  if (selectsNode(attributes, node)) return allow;
  return name === ''
    ? no('can only list/watch pods with spec.nodeName field selector')
    : related('pod')(node, attributes, graph);
};

/** By group and resource. */
const ownResources: Readonly<Record<string, Judge>> = {
  '/secrets': readOf('secret'),
  '/configmaps': readOf('configMap'),
  '/persistentvolumeclaims': claims,
  '/persistentvolumes': getOf('volume'),
  '/serviceaccounts': tokens,
  'resource.k8s.io/resourceclaims': getOf('resourceClaim'),
  'resource.k8s.io/resourceslices': slices(false),
  'storage.k8s.io/volumeattachments': getOf('volumeAttachment'),
  'storage.k8s.io/csinodes': csiNodes,
  'coordination.k8s.io/leases': leases,
};

const ownNodeAndPods: Readonly<Record<string, Judge>> = {
  '/nodes': nodes,
  '/pods': pods,
  'resource.k8s.io/resourceslices': slices(true),
};
