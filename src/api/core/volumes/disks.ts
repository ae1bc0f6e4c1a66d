/**
 * Volumes of clouds and storage systems that pods name directly. Most have no driver any more but can still be stored.
 */
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GlusterfsVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from '../../gen/types/core-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import { goStrings } from '../../../machinery/go-quote.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { checkByte } from './paths.ts';

type Check<T> = (source: T, path: FieldPath, errors: FieldErrors) => void;

/** A check that only asks for some members. */
const requires =
  <T extends object>(...members: (keyof T & string)[]): Check<T> =>
  (source, path, errors) => {
    for (const member of members) checkRequiredText(source[member] as string | undefined, path.child(member), errors);
  };

export const checkVsphereVolume = requires<VsphereVirtualDiskVolumeSource>('volumePath');
export const checkPhotonVolume = requires<PhotonPersistentDiskVolumeSource>('pdID');
export const checkPortworxVolume = requires<PortworxVolumeSource>('volumeID');
export const checkScaleIoVolume = requires<Omit<ScaleIOVolumeSource, 'secretRef'>>('gateway', 'system', 'volumeName');
export const checkGlusterfsVolume = requires<GlusterfsVolumeSource>('endpoints', 'path');
export const checkAzureFileVolume = requires<AzureFileVolumeSource>('secretName', 'shareName');

export const checkGceVolume: Check<GCEPersistentDiskVolumeSource> = ({ pdName, partition }, path, errors) => {
  checkRequiredText(pdName, path.child('pdName'), errors);
  checkByte(partition, 1, path.child('partition'), errors);
};

export const checkAwsVolume: Check<AWSElasticBlockStoreVolumeSource> = ({ volumeID, partition }, path, errors) => {
  checkRequiredText(volumeID, path.child('volumeID'), errors);
  checkByte(partition, 1, path.child('partition'), errors);
};

export const checkNfsVolume: Check<NFSVolumeSource> = ({ server, path: folder = '' }, path, errors) => {
  checkRequiredText(server, path.child('server'), errors);
  checkRequiredText(folder, path.child('path'), errors);
  if (!folder.startsWith('/')) errors.push(invalid(path.child('path'), folder, 'must be an absolute path'));
};

export const checkFcVolume: Check<FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, path, errors) => {
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0)
    errors.push(
      invalid(
        path.child('targetWWNs'),
        goStrings(targetWWNs),
        'targetWWNs and wwids can not be specified simultaneously',
      ),
    );
  if (lun === undefined) errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else checkByte(lun, 0, path.child('lun'), errors);
};

export const checkFlockerVolume: Check<FlockerVolumeSource> = (
  { datasetName = '', datasetUUID = '' },
  path,
  errors,
) => {
  if (datasetName === '' && datasetUUID === '')
    errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '')
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"));
};

export const checkRbdVolume: Check<Pick<RBDVolumeSource, 'monitors' | 'image'>> = (
  { monitors = [], image },
  path,
  errors,
) => {
  if (monitors.length === 0) errors.push(required(path.child('monitors')));
  checkRequiredText(image, path.child('image'), errors);
};

export const checkCephFsVolume: Check<Pick<CephFSVolumeSource, 'monitors'>> = ({ monitors = [] }, path, errors) => {
  if (monitors.length === 0) errors.push(required(path.child('monitors')));
};

export const checkCinderVolume: Check<CinderVolumeSource> = ({ volumeID, secretRef }, path, errors) => {
  checkRequiredText(volumeID, path.child('volumeID'), errors);
  if (secretRef !== undefined) checkRequiredText(secretRef.name, path.child('secretRef', 'name'), errors);
};

export const checkStorageOsVolume: Check<StorageOSVolumeSource> = (
  { volumeName, volumeNamespace = '', secretRef },
  path,
  errors,
) => {
  if (checkRequiredText(volumeName, path.child('volumeName'), errors))
    checkFormat(isDns1123Label, volumeName!, path.child('volumeName'), errors);
  if (volumeNamespace !== '') checkFormat(isDns1123Label, volumeNamespace, path.child('volumeNamespace'), errors);
  if (secretRef !== undefined) checkRequiredText(secretRef.name, path.child('secretRef', 'name'), errors);
};

const registryMessage = 'must be a host:port pair or multiple pairs separated by commas';
/** `host:port` or `[host]:port`, either part possibly empty. */
const hostPort = /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/;

export const checkQuobyteVolume: Check<QuobyteVolumeSource> = (
  { registry = '', tenant = '', volume },
  path,
  errors,
) => {
  if (registry === '') errors.push(required(path.child('registry'), registryMessage));
  else if (tenant.length >= 65)
    errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of registry.split(','))
      if (!hostPort.test(pair)) errors.push(invalid(path.child('registry'), registry, registryMessage));
  checkRequiredText(volume, path.child('volume'), errors);
};

/** Options are the driver's own; two domains are reserved. */
export const checkFlexVolume: Check<Pick<FlexVolumeSource, 'driver' | 'options'>> = (
  { driver, options },
  path,
  errors,
) => {
  checkRequiredText(driver, path.child('driver'), errors);
  for (const key in options) {
    if (isReservedDomain(key.split('/')[0]!))
      errors.push(invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
};

const isReservedDomain = (domain: string): boolean => /\.(kubernetes|k8s)\.io$/.test(`.${domain.toLowerCase()}`);

const cachingModes = ['None', 'ReadOnly', 'ReadWrite'];
const diskKinds = ['Dedicated', 'Managed', 'Shared'];

export const checkAzureDiskVolume: Check<AzureDiskVolumeSource> = (
  { diskName, diskURI = '', cachingMode, kind },
  path,
  errors,
) => {
  checkRequiredText(diskName, path.child('diskName'), errors);
  checkRequiredText(diskURI, path.child('diskURI'), errors);
  if (cachingMode !== undefined && !cachingModes.includes(cachingMode))
    errors.push(notSupported(path.child('cachingMode'), cachingMode, cachingModes));
  if (kind === undefined) return;
  if (!diskKinds.includes(kind)) errors.push(notSupported(path.child('kind'), kind, diskKinds));
  const [start, form] = kind === 'Managed' ? managedUri : blobUri;
  if (!diskURI.startsWith(start)) errors.push(notSupported(path.child('diskURI'), diskURI, [form]));
};

const managedUri = [
  '/subscriptions/',
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
] as const;
const blobUri = ['https://', 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'] as const;
