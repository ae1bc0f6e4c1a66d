/**
 * Reads an audit policy: YAML or JSON, judged as a whole, with the path of each field that is wrong.
 *
 * Fields that no policy has, and fields given twice, are told as warnings and the rest is in force: so does the
 * reference, whose policy files must go on working here.
 * @see {@link https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Policy | Policy
 *   (audit.k8s.io/v1)}
 */
import { identityErrors } from '../../machinery/configuration-document.ts';
import { codecs } from '../../api/codecs.ts';
import type { GroupResources, Policy, PolicyRule } from '../../api/gen/types/audit-v1.ts';
import { aggregateText, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { goStrings } from '../../machinery/go-quote.ts';
import { readYaml } from '../../machinery/json/yaml.ts';
import { levels, stages } from './policy.ts';

/** Ours is the specification's spelling of the other. */
const apiVersions = ['audit.k8s.io/v1', 'audit.orch.io/v1'];

export interface ReadPolicy {
  readonly policy: Policy;
  /** What was passed over, a sentence each. */
  readonly warnings: readonly string[];
}

/** Throws an Error whose message names the fields that are wrong. */
export function readAuditPolicy(text: string): ReadPolicy {
  const body = readYaml(text);
  const identity = identityErrors(body.typeMeta(), { apiVersions, kind: 'Policy' });
  if (identity.length > 0) throw new Error(aggregateText(identity));
  const { value, problems } = codecs.of('audit/v1.Policy').fromJson(body);
  const policy = value as unknown as Policy;
  const errors = policyErrors(policy);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  if ((policy.rules ?? []).length === 0) throw new Error('rules: Required value: loaded illegal policy with 0 rules');
  return {
    policy,
    warnings: problems.map((problem) => `${problem.replace(/\s*\n\s*/g, ' ')} (audit policy; passed over)`),
  };
}

const policyErrors = ({ rules = [], omitStages }: Policy): FieldError[] => [
  ...stageErrors(omitStages, FieldPath.of('omitStages')),
  ...rules.flatMap((rule, index) => ruleErrors(rule, FieldPath.of('rules').index(index))),
];

function ruleErrors(
  { level = '', nonResourceURLs = [], resources = [], namespaces = [], omitStages }: PolicyRule,
  path: FieldPath,
): FieldError[] {
  const isMixed = nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0);
  return [
    ...levelErrors(level, path.child('level')),
    ...nonResourceURLs.flatMap((url, index) => urlErrors(url, path.child('nonResourceURLs').index(index))),
    ...resources.flatMap((resource, index) => resourceErrors(resource, path.child('resources').index(index))),
    ...stageErrors(omitStages, path.child('omitStages')),
    ...(isMixed
      ? [
          invalid(
            path.child('nonResourceURLs'),
            goStrings(nonResourceURLs),
            'rules cannot apply to both regular resources and non-resource URLs',
          ),
        ]
      : []),
  ];
}

function levelErrors(level: string, path: FieldPath): FieldError[] {
  if (level === '') return [required(path)];
  return (levels as readonly string[]).includes(level) ? [] : [notSupported(path, level, levels)];
}

function urlErrors(url: string, path: FieldPath): FieldError[] {
  if (url === '*') return [];
  return [
    ...(url.startsWith('/') ? [] : [invalid(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes('*')
      ? [invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ];
}

function resourceErrors(
  { group = '', resources = [], resourceNames = [] }: GroupResources,
  path: FieldPath,
): FieldError[] {
  const bad = group === '' ? [] : isDns1123Subdomain(group);
  return [
    ...(bad.length === 0 ? [] : [invalid(path.child('group'), group, bad.join(','))]),
    ...(resourceNames.length > 0 && resources.length === 0
      ? [
          invalid(
            path.child('resourceNames'),
            goStrings(resourceNames),
            'using resourceNames requires at least one resource',
          ),
        ]
      : []),
  ];
}

const stageErrors = (omitStages: readonly string[] = [], path: FieldPath): FieldError[] =>
  omitStages.flatMap((stage, index) =>
    (stages as readonly string[]).includes(stage)
      ? []
      : [invalid(path.index(index), stage, `allowed stages are ${stages.join(',')}`)],
  );
