/** Rules of the versions in which API servers store resources. @see {@link https://kep.k8s.io/2339 | KEP-2339} */
import type { ServerStorageVersion, StorageVersion } from '../../gen/types/apiserverinternal-v1alpha1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1035Label, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { goStrings } from '../../../machinery/go-quote.ts';
import type { NameRule } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { commonVersion } from './common-version.ts';

/** `apps.deployments`, `core.pods` */
const versionName: NameRule = (name) => {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...isDns1035Label(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
};

export const validateStorageVersion = ({ metadata }: StorageVersion): FieldErrors =>
  validateBuiltInMeta(metadata, { namespaced: false, validateName: versionName });

export const validateStorageVersionUpdate = ({ metadata }: StorageVersion, old: StorageVersion): FieldErrors =>
  validateBuiltInMetaUpdate(metadata, old.metadata);

export function validateStorageVersionStatus(version: StorageVersion, old: StorageVersion): FieldErrors {
  const errors = validateBuiltInMetaUpdate(version.metadata, old.metadata);
  const { storageVersions = [], commonEncodingVersion } = version.status ?? {};
  const path = FieldPath.of('status');
  storageVersions.forEach((server, i) => checkServer(server, path.child('storageVersions').index(i), errors));
  const common = storageVersions.length === 0 ? undefined : commonVersion(storageVersions);
  const at = path.child('commonEncodingVersion');
  if (common === undefined && commonEncodingVersion !== undefined)
    errors.push(
      invalid(
        at,
        commonEncodingVersion,
        'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the ' +
          'supported versions yet',
      ),
    );
  else if (common !== undefined && commonEncodingVersion === undefined)
    errors.push(invalid(at, null, `the common encoding version is ${common}`));
  else if (common !== undefined && commonEncodingVersion !== common)
    errors.push(invalid(at, commonEncodingVersion!, `the actual common encoding version is ${common}`));
  return errors;
}

function checkServer(
  { apiServerID = '', encodingVersion = '', decodableVersions = [], servedVersions = [] }: ServerStorageVersion,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const problem of isDns1123Subdomain(apiServerID))
    errors.push(invalid(path.child('apiServerID'), apiServerID, problem));
  if (encodingVersion === '') errors.push(required(path.child('encodingVersion')));
  if (!decodableVersions.includes(encodingVersion))
    errors.push(
      invalid(
        path.child('decodableVersions'),
        goStrings(decodableVersions),
        `decodableVersions must include encodingVersion ${encodingVersion}`,
      ),
    );
  for (const served of servedVersions)
    if (!decodableVersions.includes(served))
      errors.push(
        invalid(
          path.child('servedVersions'),
          goStrings(servedVersions),
          `individual served version : ${served} must be included in decodableVersions : ` +
            decodableVersions.join(' '),
        ),
      );
}
