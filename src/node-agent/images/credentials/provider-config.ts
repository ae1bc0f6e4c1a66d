/**
 * The document that names programs which know the passwords of registries.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/kubelet-credential-provider/ | Credential provider}
 */
import { readConfigurationDocument } from '../../../machinery/configuration-document.ts';
import { readShape } from '../../../machinery/document-shape.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';

export interface CredentialProvider {
  /** Of the program in the folder. */
  readonly name: string;
  /** Absolute. */
  readonly program: string;
  readonly matchImages: readonly string[];
  readonly defaultCacheMs: number;
  /** Of requests and answers. */
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const identity = {
  apiVersions: ['kubelet.config.k8s.io/v1', 'kubelet.config.k8s.io/v1beta1', 'kubelet.config.k8s.io/v1alpha1'],
  kind: 'CredentialProviderConfig',
};

const requestVersions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `credentialprovider.kubelet.k8s.io/${version}`);

const shape = {
  providers: [
    {
      name: 'string',
      matchImages: ['string'],
      defaultCacheDuration: 'duration',
      apiVersion: 'string',
      args: ['string'],
      env: [{ name: 'string', value: 'string' }],
    },
  ],
} as const;

interface Written {
  readonly name?: string;
  readonly matchImages?: readonly string[];
  /** Milliseconds. */
  readonly defaultCacheDuration?: number;
  readonly apiVersion?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name?: string; readonly value?: string }[];
}

/** Throws an error that names each field that is wrong. */
export const readProviderConfig = (text: string, folder: string): CredentialProvider[] =>
  readConfigurationDocument(text, identity, (members, errors) => {
    const document = readShape(members, shape, FieldPath.root, errors) as { readonly providers?: readonly Written[] };
    const providers = document.providers ?? [];
    if (errors.length === 0) errors.push(...problemsOf(providers));
    return providers.map((provider) => providerOf(provider, folder));
  });

const providerOf = (written: Written, folder: string): CredentialProvider => ({
  name: written.name ?? '',
  program: `${folder}/${written.name}`,
  matchImages: written.matchImages ?? [],
  defaultCacheMs: written.defaultCacheDuration ?? 0,
  apiVersion: written.apiVersion ?? '',
  args: written.args ?? [],
  env: Object.fromEntries((written.env ?? []).map(({ name = '', value = '' }) => [name, value])),
});

function problemsOf(providers: readonly Written[]): FieldError[] {
  const path = FieldPath.of('providers');
  if (providers.length === 0) return [required(path, 'at least 1 item in plugins is required')];
  const names = providers.map(({ name }) => name);
  return providers.flatMap((provider, index) => [
    ...problemsOfOne(provider, path.index(index)),
    ...(names.indexOf(provider.name) < index ? [duplicate(path.index(index).child('name'), provider.name ?? '')] : []),
  ]);
}

function problemsOfOne(provider: Written, path: FieldPath): FieldError[] {
  const { name = '', matchImages = [], defaultCacheDuration, apiVersion = '' } = provider;
  const errors = nameProblems(name, path.child('name'));
  if (apiVersion === '') errors.push(required(path.child('apiVersion')));
  else if (!requestVersions.includes(apiVersion))
    errors.push(notSupported(path.child('apiVersion'), apiVersion, requestVersions));
  if (matchImages.length === 0)
    errors.push(required(path.child('matchImages'), 'at least 1 item in matchImages is required'));
  for (const [index, pattern] of matchImages.entries())
    if (!isPattern(pattern))
      errors.push(invalid(path.child('matchImages').index(index), pattern, 'match image is invalid'));
  const durationPath = path.child('defaultCacheDuration');
  if (defaultCacheDuration === undefined) errors.push(required(durationPath));
  else if (defaultCacheDuration < 0)
    errors.push(invalid(durationPath, `${defaultCacheDuration}ms`, 'must be greater than or equal to 0'));
  return errors;
}

/** The name is that of a file in the folder. */
function nameProblems(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)];
  if (name.includes('/')) return [invalid(path, name, "provider name cannot contain '/'")];
  if (name.includes(' ')) return [invalid(path, name, 'provider name cannot contain spaces')];
  return name === '.' || name === '..' ? [invalid(path, name, `provider name cannot be '${name}'`)] : [];
}

/** Host, port and path, without a scheme. */
const isPattern = (text: string): boolean => /^[^\s/:@?#]+(:\d+)?(\/[^\s?#]*)?$/.test(text);
