/**
 * Gives pods a service account, its token as a volume, and its secrets for pulling images.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-admission-controller
 *   | ServiceAccount admission controller}
 */
import { goQuote } from '../../machinery/go-quote.ts';
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from '../../api/gen/types/core-v1.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { generateName } from '../../registry/generic/generate-name.ts';
import { refused } from './attributes.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

const tokenVolumePrefix = 'kube-api-access-';
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** By this very number the server knows tokens that it injected, and lets them live on. */
const tokenSeconds = 3607;
const mirrorAnnotation = 'kubernetes.io/config.mirror';
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets';

export function createServiceAccount({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    async admit(attributes) {
      if (!isCreatedPod(attributes)) return;
      const pod = attributes.object as Pod;
      // The node made it already, and would delete one that differs.
      if (isMirror(pod)) return checkMirror(attributes, pod);
      const { spec } = pod;
      if ((spec.serviceAccountName ?? '') === '') spec.serviceAccountName = 'default';
      // The older field says the same to clients that know no other.
      spec.serviceAccount = spec.serviceAccountName!;
      const account = await accountOf(attributes, pod, objects);
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
      if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0)
        spec.imagePullSecrets = account.imagePullSecrets!.map(({ name }) => ({ name: name ?? '' }));
    },
    async validate(attributes) {
      const isEphemeral =
        attributes.operation === 'UPDATE' &&
        attributes.resource.group === '' &&
        attributes.resource.resource === 'pods' &&
        attributes.subresource === 'ephemeralcontainers';
      if (!isCreatedPod(attributes) && !isEphemeral) return;
      const pod = attributes.object as Pod;
      if (isMirror(pod)) return checkMirror(attributes, pod);
      if ((pod.spec.serviceAccountName ?? '') === '')
        throw refused(attributes, `no service account specified for pod ${attributes.namespace}/${attributes.name}`);
      const account = await accountOf(attributes, pod, objects);
      if (account.metadata.annotations?.[enforceAnnotation] === 'true')
        checkSecrets(attributes, pod.spec, account, isEphemeral);
    },
  };
}

const isCreatedPod = ({ operation, resource, subresource }: AdmissionAttributes): boolean =>
  operation === 'CREATE' && resource.group === '' && resource.resource === 'pods' && subresource === '';

const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[mirrorAnnotation] !== undefined;

async function accountOf(
  attributes: AdmissionAttributes,
  { spec }: Pod,
  objects: CachedObjects,
): Promise<ServiceAccount> {
  const { namespace } = attributes;
  const name = spec.serviceAccountName ?? '';
  const found =
    (await objects.find<ServiceAccount>('', 'serviceaccounts', namespace, name)) ??
    (await objects.findFresh<ServiceAccount>('', 'serviceaccounts', namespace, name));
  if (found === undefined)
    throw refused(
      attributes,
      `error looking up service account ${namespace}/${name}: serviceaccount ${goQuote(name)} not found`,
    );
  return found;
}

function mountToken(spec: PodSpec): void {
  const existing = spec.volumes?.find(({ name }) => name?.startsWith(tokenVolumePrefix))?.name;
  const name = existing ?? generateName(tokenVolumePrefix);
  const without = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    ({ volumeMounts = [] }) => !volumeMounts.some(({ mountPath }) => mountPath === tokenPath),
  );
  for (const container of without) (container.volumeMounts ??= []).push({ name, readOnly: true, mountPath: tokenPath });
  if (existing === undefined && without.length > 0) (spec.volumes ??= []).push(tokenVolume(name));
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    defaultMode: 0o644,
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
});

/** What runs on a node without having been asked for here may use nothing of what is kept here. */
function checkMirror(attributes: AdmissionAttributes, { spec }: Pod): void {
  if ((spec.serviceAccountName ?? '') !== '')
    throw refused(attributes, 'a mirror pod may not reference service accounts');
  const volumes = spec.volumes ?? [];
  const projected = volumes.flatMap(({ projected: sources }) => sources?.sources ?? []);
  const names = [
    ...volumes.map(({ secret }) => secret?.secretName),
    ...projected.map(({ secret }) => secret?.name),
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...allContainers(spec).flatMap((container) => referencesOf(container).map(({ name }) => name)),
  ];
  if (names.some((name) => name !== undefined && name !== ''))
    throw refused(attributes, 'a mirror pod may not reference secrets');
  if (projected.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    throw refused(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}

const allContainers = (spec: PodSpec): Pick<Container, 'name' | 'env' | 'envFrom'>[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

interface SecretReference {
  readonly name: string;
  /** How a message says where it stands. */
  readonly by: string;
}

const referencesOf = ({ env = [], envFrom = [] }: Pick<Container, 'env' | 'envFrom'>): SecretReference[] => [
  ...env.flatMap(({ name, valueFrom }) =>
    valueFrom?.secretKeyRef === undefined ? [] : [{ name: valueFrom.secretKeyRef.name ?? '', by: `envVar ${name}` }],
  ),
  ...envFrom.flatMap(({ secretRef }) =>
    secretRef === undefined ? [] : [{ name: secretRef.name ?? '', by: 'envFrom' }],
  ),
];

/** For accounts that say so: their pods use the secrets only that they list. */
function checkSecrets(
  attributes: AdmissionAttributes,
  spec: PodSpec,
  account: ServiceAccount,
  onlyEphemeral: boolean,
): void {
  const own = account.metadata.name ?? '';
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const check = (kind: string, containers: readonly Pick<Container, 'name' | 'env' | 'envFrom'>[]): void => {
    for (const container of containers) {
      for (const { name, by } of referencesOf(container)) {
        if (!listed.has(name))
          throw refused(
            attributes,
            `${kind} ${container.name} with ${by} referencing secret.secretName=${goQuote(name)} is not ` +
              `allowed because service account ${own} does not reference that secret`,
          );
      }
    }
  };
  check('ephemeral container', spec.ephemeralContainers ?? []);
  if (onlyEphemeral) return;
  for (const { secret } of spec.volumes ?? []) {
    if (secret !== undefined && !listed.has(secret.secretName))
      throw refused(
        attributes,
        `volume with secret.secretName=${goQuote(secret.secretName ?? '')} is not allowed because service ` +
          `account ${own} does not reference that secret`,
      );
  }
  check('init container', spec.initContainers ?? []);
  check('container', spec.containers ?? []);
  const pull = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  for (const [index, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pull.has(name))
      throw refused(
        attributes,
        `imagePullSecrets[${index}].name=${goQuote(name ?? '')} is not allowed because service account ${own} ` +
          'does not reference that imagePullSecret',
      );
  }
}
