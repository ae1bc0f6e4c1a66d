/**
 * What an authorizer is asked about a request to a node: a verb on a subresource of the node.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/#kubelet-authorization |
 *   Kubelet authorization}
 */

export interface NodeAttributes {
  /** Empty for a method that no verb stands for. */
  readonly verb: string;
  /** It is allowed if one of them is, asked in this order. */
  readonly subresources: readonly string[];
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const byPath: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
];

/** With the gate a right for these alone will do. */
const finePaths: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/runningpods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
];

const isBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

/** @param isFine feature gate KubeletFineGrainedAuthz */
export function attributesOf(method: string, path: string, isFine: boolean): NodeAttributes {
  const verb = Object.hasOwn(verbs, method) ? verbs[method]! : '';
  const found = byPath.find(([parent]) => isBelow(path, parent));
  if (found !== undefined) return { verb, subresources: [found[1]] };
  const fine = isFine ? finePaths.find(([parent]) => isBelow(path, parent)) : undefined;
  return { verb, subresources: fine === undefined ? ['proxy'] : [fine[1], 'proxy'] };
}
