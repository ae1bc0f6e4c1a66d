/** What a claim got, who uses it, and what drivers say of its devices. */
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../gen/types/resource-v1beta1.ts';
import { forbidden, invalid, notSupported, required, tooLong } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { formatIp, isCidr, parseCidr } from '../../../machinery/formats/addresses.ts';
import { byteLength } from '../../../machinery/formats/names.ts';
import { GoSyntax } from '../../../machinery/go-quote.ts';
import { checkNodeSelector } from '../../core/pods/node-selector.ts';
import { checkFormat, checkImmutable, checkRequiredText, keyOf } from '../../meta/checks.ts';
import { checkConditions } from '../../meta/conditions.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { shownStruct } from '../../shown-struct.ts';
import {
  checkCount,
  checkDriverName,
  checkLabel,
  checkParameters,
  checkPoolName,
  checkUnique,
  maxParts,
} from '../checks.ts';
import { checkConfiguration } from '../device-rules.ts';
import { maxConsumers } from '../pod-claims.ts';
import { checkRequestRef, checkRequestRefs, requestNames } from './validation.ts';

const maxResults = 32;
/** Of the classes and of the claim. */
const maxResultConfigs = 2 * maxParts;
const maxDeviceConditions = 8;
const maxDeviceIps = 16;
const maxInterfaceNameLength = 256;
const maxHardwareAddressLength = 128;
const sources = ['FromClaim', 'FromClass'];

type DeviceId = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device'>;
export const deviceId = ({ driver = '', pool = '', device = '' }: DeviceId): string => `${driver}/${pool}/${device}`;
export const allocatedDevices = ({ status }: ResourceClaim): Set<string> =>
  new Set((status.allocation?.devices.results ?? []).map(deviceId));

export function validateResourceClaimStatusUpdate(claim: ResourceClaim, old: ResourceClaim): FieldErrors {
  const errors = FieldErrors.joined(validateBuiltInMetaUpdate(claim.metadata, old.metadata));
  const path = FieldPath.of('status');
  const { allocation, reservedFor = [], devices = [] } = claim.status;
  const names = requestNames(claim.spec.devices);
  checkConsumers(reservedFor, path.child('reservedFor'), errors);
  const known = allocatedDevices(claim);
  devices.forEach((device, i) => checkDevice(device, path.child('devices').index(i), errors, known));
  checkUnique(devices.map(deviceId), path.child('devices'), errors, 'deviceID', (id) => new GoSyntax(id));
  checkReservation(claim, old, path.child('reservedFor'), errors);
  if (allocation === undefined) return errors;
  const at = path.child('allocation');
  // What is stored is not judged again: it may be older than a rule.
  if (old.status.allocation === undefined) checkAllocation(allocation, at, errors, names);
  else
    checkImmutable(allocation, old.status.allocation, at, errors, (value: AllocationResult) =>
      shownStruct('resource/v1beta1.AllocationResult', value),
    );
  return errors;
}

function checkConsumers(
  consumers: readonly ResourceClaimConsumerReference[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  consumers.forEach(({ resource, name, uid }, i) => {
    checkRequiredText(resource, path.index(i).child('resource'), errors);
    checkRequiredText(name, path.index(i).child('name'), errors);
    checkRequiredText(uid, path.index(i).child('uid'), errors);
  });
  checkCount(consumers, maxConsumers, path, errors);
  checkUnique(
    consumers.map(({ uid = '' }) => uid),
    path,
    errors,
    'uid',
  );
}

const consumerKey = ({ apiGroup = '', resource = '', name = '', uid = '' }: ResourceClaimConsumerReference): string =>
  keyOf(apiGroup, resource, name, uid);

/** Only what is allocated has consumers, and what is going away gets no new ones. */
function checkReservation(
  { metadata, status: { allocation, reservedFor = [] } }: ResourceClaim,
  old: ResourceClaim,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (reservedFor.length === 0) return;
  if (allocation === undefined)
    return void errors.push(forbidden(path, 'may not be specified when `allocated` is not set'));
  if (metadata.deletionTimestamp === undefined) return;
  const before = new Set((old.status.reservedFor ?? []).map(consumerKey));
  if (reservedFor.some((consumer) => !before.has(consumerKey(consumer))))
    errors.push(
      forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'),
    );
}

function checkDevice(
  device: AllocatedDeviceStatus,
  path: FieldPath,
  errors: FieldErrors,
  known: ReadonlySet<string>,
): void {
  checkDeviceId(device, path, errors);
  const { conditions = [], data, networkData } = device;
  const id = deviceId(device);
  if (!known.has(id)) errors.push(invalid(path, new GoSyntax(id), 'must be an allocated device in the claim'));
  checkCount(conditions, maxDeviceConditions, path.child('conditions'), errors);
  checkConditions(conditions, path.child('conditions'), errors);
  if (data !== undefined && data !== null) checkParameters(data, path.child('data'), errors, false);
  if (networkData !== undefined) checkNetworkData(networkData, path.child('networkData'), errors);
}

function checkDeviceId({ driver = '', pool = '', device = '' }: DeviceId, path: FieldPath, errors: FieldErrors): void {
  checkDriverName(driver, path.child('driver'), errors);
  checkPoolName(pool, path.child('pool'), errors);
  checkLabel(device, path.child('device'), errors);
}

function checkNetworkData(
  { interfaceName = '', hardwareAddress = '', ips = [] }: NetworkDeviceData,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (byteLength(interfaceName) > maxInterfaceNameLength)
    errors.push(tooLong(path.child('interfaceName'), maxInterfaceNameLength));
  if (byteLength(hardwareAddress) > maxHardwareAddressLength)
    errors.push(tooLong(path.child('hardwareAddress'), maxHardwareAddressLength));
  const at = path.child('ips');
  ips.forEach((address, i) => checkAddress(address, at.index(i), errors));
  checkCount(ips, maxDeviceIps, at, errors);
  checkUnique(ips, at, errors);
}

/** An address with the length of its network's prefix. */
function checkAddress(address: string, path: FieldPath, errors: FieldErrors): void {
  const parsed = parseCidr(address);
  if (parsed === undefined) return checkFormat(isCidr, address, path, errors);
  const canonical = `${formatIp(parsed)}/${Number(address.slice(address.indexOf('/') + 1))}`;
  if (address !== canonical) errors.push(invalid(path, address, `must be in canonical form (${canonical})`));
}

function checkAllocation(
  { devices: { results = [], config = [] }, nodeSelector }: AllocationResult,
  path: FieldPath,
  errors: FieldErrors,
  names: ReadonlySet<string>,
): void {
  const at = path.child('devices');
  results.forEach((result, i) => checkResult(result, at.child('results').index(i), errors, names));
  checkCount(results, maxResults, at.child('results'), errors);
  config.forEach((each, i) => checkResultConfiguration(each, at.child('config').index(i), errors, names));
  checkCount(config, maxResultConfigs, at.child('config'), errors);
  if (nodeSelector !== undefined)
    checkNodeSelector(nodeSelector, path.child('nodeSelector'), errors, { allowInvalidValues: false });
}

function checkResult(
  result: DeviceRequestAllocationResult,
  path: FieldPath,
  errors: FieldErrors,
  names: ReadonlySet<string>,
): void {
  checkRequestRef(result.request ?? '', path.child('request'), errors, names);
  checkDeviceId(result, path, errors);
}

function checkResultConfiguration(
  config: DeviceAllocationConfiguration,
  path: FieldPath,
  errors: FieldErrors,
  names: ReadonlySet<string>,
): void {
  const { source = '', requests } = config;
  if (source === '') errors.push(required(path.child('source')));
  else if (!sources.includes(source)) errors.push(notSupported(path.child('source'), source, sources));
  checkRequestRefs(requests, path.child('requests'), errors, names);
  checkConfiguration(config, path, errors, false);
}
