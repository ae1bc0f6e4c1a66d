/** Where the expressions of a policy do not fit the types of the objects that it is about. */
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from '../../api/gen/types/admissionregistration-v1.ts';
import { admissionEnvironment, type CelType, dynType } from '../../cel/index.ts';
import { compilationFailed, type Environment } from '../../cel/environment.ts';

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Of one policy at most, for each of its rules. */
const maxKinds = 10;

/**
 * The resources that the policy names, rule by rule. Rules with a wildcard for groups or versions name none, and those
 * for resources and subresources are passed over.
 */
export function namedResources({ matchConstraints }: ValidatingAdmissionPolicySpec): ResourceName[][] {
  return (matchConstraints?.resourceRules ?? []).map(({ apiGroups = [], apiVersions = [], resources = [] }) => {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) return [];
    const plain = resources.filter((name) => !/[*/]/.test(name));
    return [...apiGroups]
      .sort()
      .flatMap((group) =>
        [...apiVersions]
          .sort()
          .flatMap((version) => [...plain].sort().map((resource) => ({ group, version, resource }))),
      );
  });
}

/** The kinds that expressions are checked for, each once. @param kindOf undefined for what is not served */
export function kindsToCheck(
  spec: ValidatingAdmissionPolicySpec,
  kindOf: (resource: ResourceName) => string | undefined,
): KindName[] {
  const kinds = new Map<string, KindName>();
  for (const resources of namedResources(spec)) {
    let found = 0;
    for (const { group, version, resource } of resources) {
      const kind = kindOf({ group, version, resource });
      if (kind === undefined) continue;
      kinds.set([group, version, kind].join('\0'), { group, version, kind });
      if (++found === maxKinds) return sorted(kinds);
    }
  }
  return sorted(kinds);
}

const sorted = (kinds: ReadonlyMap<string, KindName>): KindName[] =>
  [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);

export interface TypedKind extends KindName {
  readonly type: CelType;
}

/** @param params type of the parameters; undefined for a policy that has none, or whose kind is not known */
export function expressionWarnings(
  { spec }: ValidatingAdmissionPolicy,
  kinds: readonly TypedKind[],
  params: CelType | undefined,
): ExpressionWarning[] {
  const environments = kinds.map((kind) => ({ kind, environment: environmentOf(kind.type, params, spec) }));
  const warningOf = (expression: string): string =>
    environments
      .flatMap(({ kind, environment }) => {
        const failure = failureOf(environment, expression);
        return failure === undefined ? [] : [`${kindText(kind)}: ${failure}\n`];
      })
      .join('\n');
  return (spec.validations ?? []).flatMap(({ expression = '', messageExpression = '' }, index) =>
    Object.entries({ expression, messageExpression }).flatMap(([field, text]): ExpressionWarning[] => {
      const warning = text === '' && field === 'messageExpression' ? '' : warningOf(text);
      return warning === '' ? [] : [{ fieldRef: `spec.validations[${index}].${field}`, warning }];
    }),
  );
}

/** Variables have the types of their expressions, and any where these are wrong. */
function environmentOf(
  object: CelType,
  params: CelType | undefined,
  { variables = [] }: ValidatingAdmissionPolicySpec,
): Environment {
  const types = new Map<string, CelType>();
  const environment = admissionEnvironment({
    object,
    params: params ?? false,
    authorizer: true,
    variables: types,
  });
  for (const { name = '', expression = '' } of variables) {
    const compiled = environment.compile(expression);
    types.set(name, 'failure' in compiled ? dynType : compiled.type);
  }
  return environment;
}

function failureOf(environment: Environment, expression: string): string | undefined {
  const compiled = environment.compile(expression);
  return 'failure' in compiled ? compiled.failure.replace(compilationFailed, '') : undefined;
}

/** `apps/v1, Kind=Deployment` */
const kindText = ({ group, version, kind }: KindName): string => `${group}/${version}, Kind=${kind}`;
