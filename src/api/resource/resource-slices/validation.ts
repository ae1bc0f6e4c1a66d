/** The devices that drivers offer. */
import type {
  BasicDevice,
  Device,
  DeviceAttribute,
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from '../../gen/types/resource-v1beta1.ts';
import { invalid, required, tooLong } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { isSemanticVersion } from '../../../machinery/formats/semantic-version.ts';
import { checkNodeSelector } from '../../core/pods/node-selector.ts';
import { checkFormat, checkImmutable } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { shownStruct, shownStructs } from '../../shown-struct.ts';
import { checkCount, checkDriverName, checkLabel, checkPoolName, checkPropertyName, checkUnique } from '../checks.ts';
import { maxAttributeLength, maxDeviceProperties, maxDomainLength, maxIdLength } from '../device-selectors.ts';

const maxDevices = 128;
/** Of a name that a message shows. */
const maxShownName = maxDomainLength + 1 + maxIdLength;

export function validateResourceSlice({ metadata, spec }: ResourceSlice): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkSpec(spec, undefined, errors);
  return errors;
}

export function validateResourceSliceUpdate({ metadata, spec }: ResourceSlice, old: ResourceSlice): FieldErrors {
  const errors = FieldErrors.joined(validateBuiltInMetaUpdate(metadata, old.metadata));
  checkSpec(spec, old.spec, errors);
  return errors;
}

function checkSpec(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined, errors: FieldErrors): void {
  const path = FieldPath.of('spec');
  const { driver = '', pool, devices = [] } = spec;
  checkDriverName(driver, path.child('driver'), errors);
  checkPool(pool, path.child('pool'), errors);
  if (old !== undefined) {
    checkImmutable(pool.name ?? '', old.pool.name ?? '', path.child('pool', 'name'), errors);
    checkImmutable(driver, old.driver ?? '', path.child('driver'), errors);
    checkImmutable(spec.nodeName ?? '', old.nodeName ?? '', path.child('nodeName'), errors);
  }
  checkNodes(spec, path, errors);
  const at = path.child('devices');
  devices.forEach((device, i) => checkDevice(device, at.index(i), errors));
  checkCount(devices, maxDevices, at, errors);
  checkUnique(
    devices.map(({ name = '' }) => name),
    at,
    errors,
    'name',
  );
}

function checkPool(
  { name = '', generation = 0, resourceSliceCount = 0 }: ResourcePool,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkPoolName(name, path.child('name'), errors);
  if (resourceSliceCount <= 0)
    errors.push(invalid(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero'));
  if (generation < 0)
    errors.push(invalid(path.child('generation'), generation, 'must be greater than or equal to zero'));
}

/** The nodes are said in one of three ways. */
function checkNodes(
  { nodeName = '', nodeSelector, allNodes = false }: ResourceSliceSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const said: string[] = [];
  if (nodeName !== '') {
    said.push('`nodeName`');
    checkFormat(isDns1123Subdomain, nodeName, path.child('nodeName'), errors);
  }
  if (nodeSelector !== undefined) {
    said.push('`nodeSelector`');
    const at = path.child('nodeSelector');
    checkNodeSelector(nodeSelector, at, errors, { allowInvalidValues: false });
    const { nodeSelectorTerms = [] } = nodeSelector;
    if (nodeSelectorTerms.length !== 1)
      errors.push(
        invalid(
          at.child('nodeSelectorTerms'),
          shownStructs('core/v1.NodeSelectorTerm', nodeSelectorTerms),
          'must have exactly one node selector term',
        ),
      );
  }
  if (allNodes) said.push('`allNodes`');
  const message = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';
  if (said.length === 0) errors.push(required(path, message));
  else if (said.length > 1)
    errors.push(invalid(path, `{${said.join(', ')}}`, `${message}, but multiple fields are set`));
}

function checkDevice({ name = '', basic }: Device, path: FieldPath, errors: FieldErrors): void {
  checkLabel(name, path.child('name'), errors);
  if (basic === undefined) errors.push(required(path.child('basic')));
  else checkProperties(basic, path.child('basic'), errors);
}

function checkProperties({ attributes = {}, capacity = {} }: BasicDevice, path: FieldPath, errors: FieldErrors): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    const at = path.child('attributes').key(shownName(name));
    checkPropertyName(name, at, errors);
    checkAttribute(attribute, at, errors);
  }
  const capacities = Object.keys(capacity);
  for (const name of capacities) checkPropertyName(name, path.child('capacity').key(shownName(name)), errors);
  const count = Object.keys(attributes).length + capacities.length;
  if (count > maxDeviceProperties)
    errors.push(
      invalid(path, count, `the total number of attributes and capacities must not exceed ${maxDeviceProperties}`),
    );
}

/** One that is longer than any name may be is shortened in the middle. */
function shownName(name: string): string {
  if (name.length <= maxShownName) return name;
  const rest = maxShownName - '...'.length;
  return `${name.slice(0, Math.ceil(rest / 2))}...${name.slice(name.length - Math.floor(rest / 2))}`;
}

function checkAttribute(attribute: DeviceAttribute, path: FieldPath, errors: FieldErrors): void {
  const { int, bool, string, version } = attribute;
  if (string !== undefined) checkLength(string, path.child('string'), errors);
  if (version !== undefined) {
    if (!isSemanticVersion(version))
      errors.push(invalid(path.child('version'), version, 'must be a string compatible with semver.org spec 2.0.0'));
    checkLength(version, path.child('version'), errors);
  }
  const count = [int, bool, string, version].filter((value) => value !== undefined).length;
  const message = 'exactly one value must be specified';
  if (count === 0) errors.push(required(path, message));
  else if (count > 1) errors.push(invalid(path, shownStruct('resource/v1beta1.DeviceAttribute', attribute), message));
}

function checkLength(text: string, path: FieldPath, errors: FieldErrors): void {
  if (byteLength(text) > maxAttributeLength) errors.push(tooLong(path, maxAttributeLength));
}
