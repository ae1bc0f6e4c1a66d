import { prefixOf } from '../../../api/rbac/urls.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import type { AuthorizationAttributes, Authorizer } from '../../../auth/authorization/authorizer.ts';
import type { AbacRule } from './policy-file.ts';

/** `--authorization-mode=ABAC`: the first line of the policy that fits allows. */
export function createAbacAuthorizer(rules: readonly AbacRule[]): Authorizer {
  return {
    authorize: (attributes) =>
      rules.some((rule) => fits(rule, attributes))
        ? { decision: 'allow', reason: '' }
        : { decision: 'noOpinion', reason: 'No policy matched.' },
    rulesFor: (user, namespace) => {
      const own = rules.filter((rule) => isFor(rule, user) && (rule.namespace === '*' || rule.namespace === namespace));
      return {
        resourceRules: own.map((rule) => ({
          verbs: verbsOf(rule),
          apiGroups: [rule.apiGroup],
          resources: [rule.resource],
        })),
        nonResourceRules: own.map((rule) => ({ verbs: verbsOf(rule), nonResourceURLs: [rule.nonResourcePath] })),
        incomplete: false,
      };
    },
  };
}

const readVerbs = ['get', 'list', 'watch'];

const verbsOf = ({ readonly }: AbacRule): readonly string[] => (readonly ? readVerbs : ['*']);

const fits = (rule: AbacRule, attributes: AuthorizationAttributes): boolean =>
  isFor(rule, attributes.user) &&
  (!rule.readonly || readVerbs.includes(attributes.verb)) &&
  (attributes.isResourceRequest ? isOnResource(rule, attributes) : isOnPath(rule, attributes.path));

/** A rule without a subject matches no user. */
function isFor({ user, group }: AbacRule, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === name) && (group === '' || groups.includes(group));
}

const meets = (wanted: string, value: string): boolean => wanted === '*' || wanted === value;

const isOnResource = ({ namespace, resource, apiGroup }: AbacRule, attributes: AuthorizationAttributes): boolean =>
  meets(namespace, attributes.namespace) && meets(resource, attributes.resource) && meets(apiGroup, attributes.group);

const isOnPath = ({ nonResourcePath }: AbacRule, path: string): boolean =>
  meets(nonResourcePath, path) || (nonResourcePath.endsWith('*') && path.startsWith(prefixOf(nonResourcePath)));
