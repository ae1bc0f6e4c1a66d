/** Sources of persistent volumes. Most are those of pods, with secrets that name their namespace. */
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from '../../gen/types/core-v1.ts';
import { forbidden, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { checkCsiDriverName } from '../volumes/csi.ts';
import * as disks from '../volumes/disks.ts';
import { checkHostPathVolume } from '../volumes/host-path.ts';
import { checkIscsiPersistentVolume } from '../volumes/iscsi.ts';
import { checkNoBacksteps } from '../volumes/paths.ts';

type Source = Exclude<
  keyof PersistentVolumeSpec,
  | 'capacity'
  | 'accessModes'
  | 'claimRef'
  | 'persistentVolumeReclaimPolicy'
  | 'storageClassName'
  | 'mountOptions'
  | 'volumeMode'
  | 'nodeAffinity'
  | 'volumeAttributesClassName'
>;

interface SourceRule {
  readonly source: Source;
  readonly check: (source: never, path: FieldPath, errors: FieldErrors, volumeName: string) => void;
  /** What paths of errors call the source: `inside` it, or when it is one too many. */
  readonly inside: string;
  readonly refused: string;
}

const rule = <S extends Source>(
  source: S,
  check: (
    source: NonNullable<PersistentVolumeSpec[S]>,
    path: FieldPath,
    errors: FieldErrors,
    volumeName: string,
  ) => void,
  { inside = source as string, refused = source as string } = {},
): SourceRule => ({ source, check, inside, refused });

/** In the order in which they are looked at: a second source is refused. */
const rules: readonly SourceRule[] = [
  rule('hostPath', checkHostPathVolume),
  rule('gcePersistentDisk', disks.checkGceVolume, { inside: 'persistentDisk' }),
  rule('awsElasticBlockStore', disks.checkAwsVolume),
  rule('glusterfs', checkGlusterfs),
  rule('flocker', disks.checkFlockerVolume),
  rule('nfs', disks.checkNfsVolume),
  rule('rbd', disks.checkRbdVolume),
  rule('quobyte', disks.checkQuobyteVolume),
  rule('cephfs', disks.checkCephFsVolume, { refused: 'cephFS' }),
  rule('iscsi', (source, path, errors, volumeName) => checkIscsiPersistentVolume(source, volumeName, path, errors)),
  rule('cinder', checkCinder),
  rule('fc', disks.checkFcVolume),
  rule('flexVolume', disks.checkFlexVolume),
  rule('azureFile', checkAzureFile),
  rule('vsphereVolume', disks.checkVsphereVolume),
  rule('photonPersistentDisk', disks.checkPhotonVolume),
  rule('portworxVolume', disks.checkPortworxVolume),
  rule('azureDisk', disks.checkAzureDiskVolume),
  rule('scaleIO', ({ gateway, system, volumeName }, path, errors) =>
    disks.checkScaleIoVolume({ gateway, system, volumeName }, path, errors),
  ),
  rule('local', checkLocal),
  rule('storageos', checkStorageOs),
  rule('csi', checkCsi),
];

/** Every member of a volume that is a source. */
export const persistentVolumeSources: readonly Source[] = rules.map(({ source }) => source);

export function checkSources(
  spec: PersistentVolumeSpec,
  volumeName: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  let found = false;
  for (const { source, check, inside, refused } of rules) {
    const value = spec[source];
    if (value === undefined) continue;
    if (found) errors.push(forbidden(path.child(refused), 'may not specify more than 1 volume type'));
    else {
      check(value as never, path.child(inside), errors, volumeName);
      if (source === 'local' && spec.nodeAffinity === undefined)
        errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
    }
    found = true;
  }
  if (!found) errors.push(required(path, 'must specify a volume type'));
}

function checkGlusterfs(
  { endpoints, path: folder, endpointsNamespace }: GlusterfsPersistentVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredText(endpoints, path.child('endpoints'), errors);
  checkRequiredText(folder, path.child('path'), errors);
  if (endpointsNamespace === undefined) return;
  const at = path.child('endpointsNamespace');
  if (endpointsNamespace === '')
    errors.push(invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name'));
  else checkFormat(isDns1123Label, endpointsNamespace, at, errors);
}

function checkCinder(
  { volumeID, secretRef }: CinderPersistentVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredText(volumeID, path.child('volumeID'), errors);
  checkSecret(secretRef, path.child('secretRef'), errors);
}

function checkAzureFile(
  { secretName, shareName, secretNamespace }: AzureFilePersistentVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredText(secretName, path.child('secretName'), errors);
  checkRequiredText(shareName, path.child('shareName'), errors);
  if (secretNamespace === '') errors.push(required(path.child('secretNamespace')));
}

function checkLocal({ path: folder }: LocalVolumeSource, path: FieldPath, errors: FieldErrors): void {
  if (checkRequiredText(folder, path.child('path'), errors)) checkNoBacksteps(folder!, path.child('path'), errors);
}

function checkStorageOs(
  { volumeName, volumeNamespace = '', secretRef }: StorageOSPersistentVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (checkRequiredText(volumeName, path.child('volumeName'), errors))
    checkFormat(isDns1123Label, volumeName!, path.child('volumeName'), errors);
  if (volumeNamespace !== '') checkFormat(isDns1123Label, volumeNamespace, path.child('volumeNamespace'), errors);
  checkSecret(secretRef, path.child('secretRef'), errors);
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function checkCsi(source: CSIPersistentVolumeSource, path: FieldPath, errors: FieldErrors): void {
  checkCsiDriverName(source.driver ?? '', path.child('driver'), errors);
  checkRequiredText(source.volumeHandle, path.child('volumeHandle'), errors);
  for (const member of csiSecrets) checkCsiSecret(source[member], path.child(member), errors);
}

function checkSecret(secret: SecretReference | undefined, path: FieldPath, errors: FieldErrors): void {
  if (secret === undefined) return;
  checkRequiredText(secret.name, path.child('name'), errors);
  checkRequiredText(secret.namespace, path.child('namespace'), errors);
}

function checkCsiSecret(secret: SecretReference | undefined, path: FieldPath, errors: FieldErrors): void {
  if (secret === undefined) return;
  const { name, namespace } = secret;
  if (checkRequiredText(name, path.child('name'), errors))
    checkFormat(isDns1123Subdomain, name!, path.child('name'), errors);
  if (checkRequiredText(namespace, path.child('namespace'), errors))
    checkFormat(isDns1123Label, namespace!, path.child('namespace'), errors);
}
