/** Where a container has the volumes of its pod: mounted as file systems, or as block devices. */
import type { Container, VolumeMount } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notFound, notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkRequiredText } from '../../meta/checks.ts';
import { checkDescendingPath, containsBackstep } from '../volumes/paths.ts';
import type { KnownVolumes } from './volumes.ts';

type Mounts = Pick<Container, 'volumeMounts' | 'volumeDevices' | 'securityContext'>;

export function checkVolumeMounts(
  container: Mounts,
  volumes: KnownVolumes,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { volumeMounts, volumeDevices } = container;
  if (volumeMounts === undefined) return;
  const paths = new Set<string>();
  const devices = new Set(volumeDevices?.map(({ name = '' }) => name));
  const devicePaths = new Set(lastByName(volumeDevices).map(({ devicePath = '' }) => devicePath));
  volumeMounts.forEach((mount, i) => {
    const { name = '', mountPath = '' } = mount;
    const at = path.index(i);
    checkRequiredText(name, at.child('name'), errors);
    if (!volumes.has(name)) errors.push(notFound(at.child('name'), name));
    checkRequiredText(mountPath, at.child('mountPath'), errors);
    if (paths.has(mountPath)) errors.push(invalid(at.child('mountPath'), mountPath, 'must be unique'));
    paths.add(mountPath);
    if (devices.has(name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath))
      errors.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    if (volumes.get(name)?.image !== undefined) checkImageMount(mount, at, errors);
    checkSubPaths(mount, at, path, errors);
    checkPropagation(mount, container, path.child('mountPropagation'), errors);
    checkRecursiveReadOnly(mount, path.child('recursiveReadOnly'), errors);
  });
}

/** Of several entries with one name the last counts. */
const lastByName = <T extends { name?: string }>(list: readonly T[] | undefined): readonly T[] =>
  list === undefined || list.length < 2 ? (list ?? []) : [...new Map(list.map((item) => [item.name, item])).values()];

function checkImageMount({ subPath, subPathExpr }: VolumeMount, path: FieldPath, errors: FieldErrors): void {
  if (subPath !== undefined)
    errors.push(invalid(path.child('subPath'), subPath, 'not allowed in image volume sources'));
  if (subPathExpr !== undefined)
    errors.push(invalid(path.child('subPathExpr'), subPathExpr, 'not allowed in image volume sources'));
}

/** The paths' own errors name the list, not its item. */
function checkSubPaths(
  { subPath, subPathExpr }: VolumeMount,
  path: FieldPath,
  list: FieldPath,
  errors: FieldErrors,
): void {
  if (subPath !== undefined) checkDescendingPath(subPath, list.child('subPath'), errors);
  if (subPathExpr === undefined) return;
  if (subPath !== undefined)
    errors.push(invalid(path.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  checkDescendingPath(subPathExpr, list.child('subPathExpr'), errors);
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];

function checkPropagation(
  { mountPropagation }: VolumeMount,
  { securityContext }: Mounts,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (mountPropagation === undefined) return;
  if (!propagations.includes(mountPropagation)) errors.push(notSupported(path, mountPropagation, propagations));
  if (mountPropagation === 'Bidirectional' && securityContext?.privileged !== true) {
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
  }
}

const recursiveReadOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

function checkRecursiveReadOnly(
  { recursiveReadOnly, readOnly, mountPropagation }: VolumeMount,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  if (!recursiveReadOnlyModes.includes(recursiveReadOnly))
    return void errors.push(notSupported(path, recursiveReadOnly, recursiveReadOnlyModes));
  if (readOnly !== true) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
  if (mountPropagation !== undefined && mountPropagation !== 'None')
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
}

export function checkVolumeDevices(
  { volumeDevices, volumeMounts }: Mounts,
  volumes: KnownVolumes,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (volumeDevices === undefined) return;
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = new Set(volumeMounts?.map(({ name = '' }) => name));
  const mountPaths = new Set(lastByName(volumeMounts).map(({ mountPath = '' }) => mountPath));
  volumeDevices.forEach(({ name = '', devicePath = '' }, i) => {
    const at = path.index(i);
    checkRequiredText(name, at.child('name'), errors);
    if (name !== '' && names.has(name)) errors.push(invalid(at.child('name'), name, 'must be unique'));
    checkBlockVolume(name, volumes, at.child('name'), errors);
    checkRequiredText(devicePath, at.child('devicePath'), errors);
    if (paths.has(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, 'must be unique'));
    if (containsBackstep(devicePath))
      errors.push(invalid(at.child('devicePath'), devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.has(name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath))
      errors.push(invalid(at.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'));
    names.add(name);
  });
}

/** Only claims can be had as a device. */
function checkBlockVolume(name: string, volumes: KnownVolumes, path: FieldPath, errors: FieldErrors): void {
  const volume = volumes.get(name);
  if (volume === undefined) return void errors.push(notFound(path, name));
  if (volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) return;
  errors.push(
    invalid(path, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'),
  );
}
