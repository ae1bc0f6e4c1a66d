/** The rules of an EncryptionConfiguration, in upstream's words. Secrets are never shown. */
import { type FieldError, invalid, omitted, required } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { goQuote, goStrings, GoSyntax } from '../../machinery/go-quote.ts';
import { canonicalBase64 } from '../../machinery/json/base64.ts';
import { formatDuration } from '../../machinery/duration.ts';
import type {
  EncryptionConfiguration,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './configuration.ts';
import { type GroupResource, parseGroupResource } from './resource-rules.ts';

const aesKeyBytes = [16, 24, 32];
const secretboxKeyBytes = [32];

export function validateEncryptionConfiguration({ resources }: EncryptionConfiguration, reload: boolean): FieldError[] {
  const root = FieldPath.of('resources');
  if (resources.length === 0) return [required(root, 'at least one resources is required')];
  const errors: FieldError[] = [];
  const kmsNames = new Set<string>();
  for (const [i, { resources: names, providers }] of resources.entries()) {
    const [namesPath, providersPath] = [root.index(i).child('resources'), root.index(i).child('providers')];
    if (names.length === 0) errors.push(required(namesPath, `at least one ${namesPath} is required`));
    errors.push(
      ...overlapErrors(names, namesPath),
      ...names.flatMap((name, j) => nameErrors(name, namesPath.index(j))),
    );
    if (providers.length === 0) errors.push(required(providersPath, `at least one ${providersPath} is required`));
    for (const [j, provider] of providers.entries())
      errors.push(...providerErrors(provider, providersPath.index(j), kmsNames, reload));
  }
  return errors;
}

/** Of the same list: a name in a later one can be masked, which is found when the lists are put together. */
function overlapErrors(names: readonly string[], path: FieldPath): FieldError[] {
  const all = names.map(parseGroupResource);
  const pairs = all.flatMap((a, i) => all.filter((_, j) => j !== i).map((b) => [a, b] as const));
  const shown = goStrings(names);
  return [
    ...(pairs.some(([a, b]) => isSame(a, b))
      ? [invalid(path, shown, 'the same resource cannot be specified multiple times')]
      : []),
    ...(overlaps(pairs)
      ? [
          invalid(
            path,
            shown,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed " +
              'as they will be masked',
          ),
        ]
      : []),
  ];
}

const isSame = (a: GroupResource, b: GroupResource): boolean => a.group === b.group && a.resource === b.resource;
const isEverything = ({ group, resource }: GroupResource): boolean => group === '*' && resource === '*';

/** The first pair of equals is a duplicate and nothing more; upstream judges the others on their own. */
function overlaps(pairs: readonly (readonly [GroupResource, GroupResource])[]): boolean {
  const first = pairs.findIndex(([a, b]) => isSame(a, b));
  return pairs.some(
    ([a, b], i) =>
      i !== first && (isEverything(a) || (a.group === b.group && (a.resource === '*' || b.resource === '*'))),
  );
}

const withoutApi = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']);

function nameErrors(name: string, path: FieldPath): FieldError[] {
  const { group, resource } = parseGroupResource(name);
  const problem =
    name.toLowerCase() !== name
      ? 'resource name should not contain capital letters'
      : name === '*'
        ? "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
        : withoutApi.has(name)
          ? 'resources which do not have REST API/s cannot be encrypted'
          : group === 'events.k8s.io'
            ? "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead " +
              'in the config file'
            : group === 'extensions'
              ? "'extensions' group has been removed and cannot be used for encryption"
              : group === '*' && resource !== '*'
                ? 'encrypting the same resource across groups is not supported'
                : undefined;
  return problem === undefined ? [] : [invalid(path, name, problem)];
}

/** What Go prints for a provider without anything in it. */
const emptyProvider = new GoSyntax(
  'apiserver.ProviderConfiguration{AESGCM:(*apiserver.AESConfiguration)(nil), ' +
    'AESCBC:(*apiserver.AESConfiguration)(nil), Secretbox:(*apiserver.SecretboxConfiguration)(nil), ' +
    'Identity:(*apiserver.IdentityConfiguration)(nil), KMS:(*apiserver.KMSConfiguration)(nil)}',
);

function providerErrors(
  provider: ProviderConfiguration,
  path: FieldPath,
  kmsNames: Set<string>,
  reload: boolean,
): FieldError[] {
  const { kms, aesgcm, aescbc, secretbox } = provider;
  const errors: FieldError[] = [];
  const count = Object.keys(provider).length;
  if (count === 0)
    errors.push(
      invalid(
        path,
        emptyProvider,
        'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
      ),
    );
  // Upstream shows addresses in memory here.
  if (count > 1)
    errors.push(
      invalid(
        path,
        omitted,
        'more than one provider specified in a single element, should split into different list elements',
      ),
    );
  if (kms !== undefined) {
    errors.push(...kmsErrors(kms, path.child('kms'), kmsNames, reload));
    kmsNames.add(kms.name);
  } else if (aesgcm !== undefined) errors.push(...keysErrors(aesgcm, path.child('aesgcm', 'keys'), aesKeyBytes));
  else if (aescbc !== undefined) errors.push(...keysErrors(aescbc, path.child('aescbc', 'keys'), aesKeyBytes));
  else if (secretbox !== undefined)
    errors.push(...keysErrors(secretbox, path.child('secretbox', 'keys'), secretboxKeyBytes));
  return errors;
}

function keysErrors({ keys }: KeysConfiguration, path: FieldPath, lengths: readonly number[]): FieldError[] {
  if (keys.length === 0) return [required(path, 'at least one keys is required')];
  return keys.flatMap(({ name, secret }, i) => [
    ...(name === '' ? [required(path.index(i).child('name'), 'name is a mandatory field for a key')] : []),
    ...secretErrors(secret, path.index(i).child('secret'), lengths),
  ]);
}

function secretErrors(secret: string, path: FieldPath, lengths: readonly number[]): FieldError[] {
  if (secret === '') return [required(path, 'secret is a mandatory field for a key')];
  let length: number;
  try {
    length = Buffer.from(canonicalBase64(secret), 'base64').length;
  } catch {
    return [invalid(path, 'REDACTED', 'secrets must be base64 encoded')];
  }
  return lengths.includes(length)
    ? []
    : [
        invalid(
          path,
          'REDACTED',
          `secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`,
        ),
      ];
}

function kmsErrors(
  { apiVersion, name, cacheSize, endpoint, timeoutMs }: KmsConfiguration,
  path: FieldPath,
  names: ReadonlySet<string>,
  reload: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const isV1 = apiVersion === 'v1';
  if (name === '') errors.push(required(path.child('name'), 'name is a mandatory field for a provider'));
  if (!isV1 && name.includes(':'))
    errors.push(invalid(path.child('name'), name, `invalid KMS provider name ${name}, must not contain ':'`));
  if ((reload || !isV1) && names.has(name))
    errors.push(invalid(path.child('name'), name, `duplicate KMS provider name ${name}, names must be unique`));
  if (timeoutMs <= 0)
    errors.push(
      invalid(path.child('timeout'), new GoSyntax(formatDuration(timeoutMs)), 'timeout should be a positive value'),
    );
  errors.push(...endpointErrors(endpoint, path.child('endpoint')));
  if (!isV1 && cacheSize !== undefined)
    errors.push(invalid(path.child('cachesize'), cacheSize, 'cachesize is not supported in v2'));
  if (isV1 && cacheSize === 0)
    errors.push(
      invalid(path.child('cachesize'), cacheSize, 'cachesize should be a positive value, or negative to disable'),
    );
  if (!isV1 && apiVersion !== 'v2')
    errors.push(
      invalid(
        path.child('apiVersion'),
        apiVersion,
        'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
      ),
    );
  return errors;
}

function endpointErrors(endpoint: string, path: FieldPath): FieldError[] {
  if (endpoint === '') return [invalid(path, '', 'endpoint is a mandatory field for a kms')];
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? '';
  return scheme === 'unix'
    ? []
    : [invalid(path, endpoint, `unsupported scheme ${goQuote(scheme)} for KMS provider, only unix is supported`)];
}
