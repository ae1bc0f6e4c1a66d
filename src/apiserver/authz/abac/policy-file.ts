/**
 * `--authorization-policy-file`: a JSON object per line, in version v1beta1 or in the old format without a version.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/abac/ | Using ABAC Authorization}
 */
export interface AbacRule {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const allAuthenticated = 'system:authenticated';
const apiVersion = 'abac.authorization.kubernetes.io/v1beta1';

/** Throws with the number of the line that cannot be read. */
export function parseAbacPolicy(text: string): AbacRule[] {
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [ruleOf(JSON.parse(trimmed) as unknown)];
    } catch (error) {
      throw new Error(`line ${index + 1}: ${trimmed}: ${(error as Error).message}`);
    }
  });
}

function ruleOf(value: unknown): AbacRule {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is no object');
  const fields = value as Readonly<Record<string, unknown>>;
  if (fields['apiVersion'] === undefined && fields['kind'] === undefined) return unversioned(readFields(fields));
  if (fields['apiVersion'] !== apiVersion || fields['kind'] !== 'Policy')
    throw new Error(
      `no kind ${JSON.stringify(fields['kind'] ?? '')} is registered for ` +
        `version ${JSON.stringify(fields['apiVersion'] ?? '')}`,
    );
  const spec = fields['spec'] ?? {};
  if (typeof spec !== 'object' || Array.isArray(spec)) throw new Error('spec is no object');
  return everybody(readFields(spec as Readonly<Record<string, unknown>>));
}

function readFields(fields: Readonly<Record<string, unknown>>): AbacRule {
  const text = (name: string): string => {
    const value = fields[name] ?? '';
    if (typeof value !== 'string') throw new Error(`${name} is no text`);
    return value;
  };
  const { readonly = false } = fields;
  if (typeof readonly !== 'boolean') throw new Error('readonly is neither true nor false');
  return {
    user: text('user'),
    group: text('group'),
    readonly,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: text('nonResourcePath'),
  };
}

/** A star matches every authenticated user. */
const everybody = (rule: AbacRule): AbacRule =>
  rule.user === '*' || rule.group === '*' ? { ...rule, user: '', group: allAuthenticated } : rule;

/** Fields that are absent in the old format restrict nothing. */
function unversioned(rule: AbacRule): AbacRule {
  const withSubject = rule.user === '' && rule.group === '' ? { ...rule, group: allAuthenticated } : everybody(rule);
  return {
    ...withSubject,
    apiGroup: '*',
    namespace: rule.namespace || '*',
    resource: rule.resource || '*',
    nonResourcePath: rule.namespace === '' && rule.resource === '' ? '*' : '',
  };
}
