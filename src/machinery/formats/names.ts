/**
 * The formats of names, keys and values. A checker takes a text and returns what is wrong with it, an empty list when
 * nothing is.
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ | Object Names and IDs}
 * @see {@link https://www.rfc-editor.org/rfc/rfc1123 | RFC 1123} and {@link https://www.rfc-editor.org/rfc/rfc1035 |
 *   RFC 1035} for labels and subdomains
 */
import { emptyMessage, maxLengthMessage, ok, regexMessage } from './messages.ts';

export type Checker = (value: string) => readonly string[];

export const maxLabelLength = 63;
export const maxSubdomainLength = 253;

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const underscoreLabel = '[_a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const underscoreSubdomain = `${underscoreLabel}(\\.${underscoreLabel})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const wildcardSubdomain = `\\*\\.${subdomain1123}`;
const qualifiedNamePart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualifiedNamePart})?`;
const cIdentifier = '[A-Za-z_][A-Za-z0-9_]*';
const envVarName = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const configMapKey = '[-._a-zA-Z0-9]+';
const headerName = '[-A-Za-z0-9]+';

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

/** A checker for a pattern with an upper bound of bytes. Both problems are reported. */
function format(pattern: string, maxLength: number, message: string): Checker {
  const regex = whole(pattern);
  return (value) => {
    const matches = regex.test(value);
    if (matches && value.length <= maxLength) return ok;
    return [...(byteLength(value) > maxLength ? [maxLengthMessage(maxLength)] : []), ...(matches ? [] : [message])];
  };
}

/** Length in UTF-8, which is what the limits count. */
export const byteLength = (value: string): number => Buffer.byteLength(value, 'utf8');

export const isDns1123Subdomain: Checker = format(
  subdomain1123,
  maxSubdomainLength,
  regexMessage(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
      'start and end with an alphanumeric character',
    subdomain1123,
    'example.com',
  ),
);

/** As some resolvers have it, names in search paths may contain underscores. */
export const isDns1123SubdomainWithUnderscore: Checker = format(
  underscoreSubdomain,
  maxSubdomainLength,
  regexMessage(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and " +
      'must start and end with an alphanumeric character',
    underscoreSubdomain,
    'example.com',
  ),
);

export const isDns1035Label: Checker = format(
  label1035,
  maxLabelLength,
  regexMessage(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
      'character, and end with an alphanumeric character',
    label1035,
    'my-name',
    'abc-123',
  ),
);

export const isWildcardDns1123Subdomain: Checker = format(
  wildcardSubdomain,
  maxSubdomainLength,
  regexMessage(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist " +
      "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    wildcardSubdomain,
    '*.example.com',
  ),
);

export const isLabelValue: Checker = format(
  labelValue,
  maxLabelLength,
  regexMessage(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
      'start and end with an alphanumeric character',
    labelValue,
    'MyValue',
    'my_value',
    '12345',
  ),
);

export const isCIdentifier: Checker = format(
  cIdentifier,
  Infinity,
  regexMessage(
    "a valid C identifier must start with alphabetic character or '_', followed by a string of " +
      "alphanumeric characters or '_'",
    cIdentifier,
    'my_name',
    'MY_NAME',
    'MyName',
  ),
);

export const isHttpHeaderName: Checker = format(
  headerName,
  Infinity,
  regexMessage("a valid HTTP header must consist of alphanumeric characters or '-'", headerName, 'X-Header-Name'),
);

const label1123Regex = whole(label1123);
const subdomain1123Regex = whole(subdomain1123);
const label1123Message = regexMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and " +
    'end with an alphanumeric character',
  label1123,
  'my-name',
  '123-abc',
);

export const isDns1123Label: Checker = (value) => {
  const matches = label1123Regex.test(value);
  if (matches && value.length <= maxLabelLength) return ok;
  const errors = byteLength(value) > maxLabelLength ? [maxLengthMessage(maxLabelLength)] : [];
  if (!matches) errors.push(subdomain1123Regex.test(value) ? 'must not contain dots' : label1123Message);
  return errors;
};

const qualifiedNameRegex = whole(qualifiedNamePart);
const qualifiedNameMessage = regexMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedNamePart,
  'MyName',
  'my.name',
  '123-abc',
);

/** Keys of labels and annotations, names of resources and conditions: `name` or `example.com/name`. */
export const isQualifiedName: Checker = (value) => {
  const slash = value.indexOf('/');
  if (slash < 0) return checkNamePart(value);
  if (value.indexOf('/', slash + 1) >= 0) {
    return [
      `a qualified name ${qualifiedNameMessage} with an optional DNS subdomain prefix and '/' (e.g. ` +
        `'example.com/MyName')`,
    ];
  }
  const prefixErrors = checkPrefixPart(value.slice(0, slash));
  const nameErrors = checkNamePart(value.slice(slash + 1));
  return prefixErrors.length === 0 ? nameErrors : [...prefixErrors, ...nameErrors];
};

function checkPrefixPart(prefix: string): readonly string[] {
  if (prefix === '') return [`prefix part ${emptyMessage}`];
  const errors = isDns1123Subdomain(prefix);
  return errors.length === 0 ? ok : errors.map((message) => `prefix part ${message}`);
}

function checkNamePart(name: string): readonly string[] {
  const matches = qualifiedNameRegex.test(name);
  if (matches && name.length <= maxLabelLength) return ok;
  const errors: string[] = [];
  if (name === '') errors.push(`name part ${emptyMessage}`);
  else if (byteLength(name) > maxLabelLength) errors.push(`name part ${maxLengthMessage(maxLabelLength)}`);
  if (!matches) errors.push(`name part ${qualifiedNameMessage}`);
  return errors;
}

const maxPortNameLength = 15;

/** A service name of RFC 6335: at most 15 of `a-z`, `0-9` and single hyphens inside, at least one letter. */
export const isPortName: Checker = (value) => {
  const errors: string[] = [];
  if (byteLength(value) > maxPortNameLength) errors.push(maxLengthMessage(maxPortNameLength));
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors.length === 0 ? ok : errors;
};

const envVarNameRegex = whole(envVarName);
const envVarNameMessage = regexMessage(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must " +
    'not start with a digit',
  envVarName,
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);

/** The rule for names of environment variables up to 1.31. */
export const isEnvVarName: Checker = (value) => {
  const errors = envVarNameRegex.test(value) ? [] : [envVarNameMessage];
  return concat(errors, checkDotNames(value));
};

/** From 1.32: anything printable in ASCII but `=`. */
export const isRelaxedEnvVarName: Checker = (value) => {
  if (value === '') return [`environment variable name ${emptyMessage}`];
  return /^[ -<>-~]*$/.test(value)
    ? ok
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

const checkConfigMapKey = format(
  configMapKey,
  maxSubdomainLength,
  regexMessage(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    configMapKey,
    'key.name',
    'KEY_NAME',
    'key-name',
  ),
);

/** Keys of ConfigMap and Secret: file names that cannot leave their folder. */
export const isConfigMapKey: Checker = (value) => concat(checkConfigMapKey(value), checkDotNames(value));

function checkDotNames(value: string): readonly string[] {
  if (value === '.') return [`must not be '.'`];
  if (value === '..') return [`must not be '..'`];
  return value.startsWith('..') ? [`must not start with '..'`] : ok;
}

const concat = (a: readonly string[], b: readonly string[]): readonly string[] =>
  b.length === 0 ? (a.length === 0 ? ok : a) : a.length === 0 ? b : [...a, ...b];

/** Names are segments of URLs and keys of the store: no `.`, `..`, `/` and `%`. A prefix may be dots. */
export const isPathSegmentName: Checker = (value) =>
  value === '.' || value === '..' ? [`may not be '${value}'`] : isPathSegmentPrefix(value);

export const isPathSegmentPrefix: Checker = (value) => {
  if (!value.includes('/') && !value.includes('%')) return ok;
  return ['/', '%'].filter((char) => value.includes(char)).map((char) => `may not contain '${char}'`);
};

/** `1%` to however many digits. */
export const isPercent: Checker = (value) =>
  /^[0-9]+%$/.test(value)
    ? ok
    : [
        regexMessage(
          "a valid percent string must be a numeric string followed by an ending '%'",
          '[0-9]+%',
          '1%',
          '93%',
        ),
      ];

/** The part of a domain-prefixed path behind the host. */
export const isHttpPath: Checker = (value) =>
  /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(value)
    ? ok
    : [regexMessage('Invalid path', "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+")];

const reason = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
/** The reason of a condition: one word in CamelCase, loosely. */
export const isConditionReason: Checker = format(
  reason,
  Infinity,
  regexMessage(
    'a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric ' +
      "characters or '_,:', and must end with an alphanumeric character or '_'",
    reason,
    'my_name',
    'MY_NAME',
    'MyName',
    'ReasonA,ReasonB',
    'ReasonA:ReasonB',
  ),
);
