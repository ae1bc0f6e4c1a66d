/** Projected volumes: files of several sources in one folder. */
import type {
  ClusterTrustBundleProjection,
  ConfigMapProjection,
  ProjectedVolumeSource,
  SecretProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../gen/types/core-v1.ts';
import { forbidden, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkSignerName, isClusterTrustBundleName } from '../../certificates/signer-name.ts';
import { checkRequiredText } from '../../meta/checks.ts';
import { checkLabelSelector } from '../../meta/label-selector.ts';
import type { PodValidationOptions } from '../pods/validation-option-types.ts';
import { checkDownwardApiFile, checkKeyToPath } from './files.ts';
import { checkFileMode, checkFilePath } from './paths.ts';
import { shownStruct } from '../../shown-struct.ts';

export function checkProjectedVolume(
  { defaultMode, sources }: ProjectedVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkFileMode(defaultMode, path.child('defaultMode'), errors);
  const files = new Files(path, errors);
  sources?.forEach((source, i) =>
    checkSource(source, path.child('sources').index(i), { files, errors, rules, volumePath: path }),
  );
}

/** The files that all sources put into the volume. */
class Files {
  readonly #paths = new Set<string>();
  readonly #volumePath: FieldPath;
  readonly #errors: FieldErrors;

  constructor(volumePath: FieldPath, errors: FieldErrors) {
    this.#volumePath = volumePath;
    this.#errors = errors;
  }

  /** `shown` is what the message names when the file is there already. */
  add(file: string, shown: string): void {
    if (this.#paths.has(file)) this.#errors.push(invalid(this.#volumePath, shown, 'conflicting duplicate paths'));
    this.#paths.add(file);
  }
}

interface Projection {
  readonly files: Files;
  readonly errors: FieldErrors;
  readonly rules: PodValidationOptions;
  readonly volumePath: FieldPath;
}

function checkSource(
  { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle }: VolumeProjection,
  path: FieldPath,
  projection: Projection,
): void {
  const { errors, files } = projection;
  if (secret !== undefined) checkItems(secret, path.child('secret'), projection);
  if (configMap !== undefined) checkItems(configMap, path.child('configMap'), projection);
  downwardAPI?.items?.forEach((file) => {
    checkDownwardApiFile(file, path.child('downwardAPI'), errors);
    if (file.path !== undefined) files.add(file.path, file.path);
  });
  if (serviceAccountToken !== undefined) checkToken(serviceAccountToken, path.child('serviceAccountToken'), projection);
  if (clusterTrustBundle !== undefined)
    checkTrustBundle(clusterTrustBundle, path.child('clusterTrustBundle'), projection);
  const count = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle].filter(
    (source) => source !== undefined,
  ).length;
  if (count > 1) errors.push(forbidden(path, 'may not specify more than 1 volume type per source'));
}

function checkItems(
  { name = '', items }: SecretProjection | ConfigMapProjection,
  path: FieldPath,
  { errors, files }: Projection,
): void {
  checkRequiredText(name, path.child('name'), errors);
  items?.forEach((item, i) => {
    checkKeyToPath(item, path.child('items').index(i), errors);
    if (item.path !== undefined) files.add(item.path, name);
  });
}

function checkToken(
  { expirationSeconds = 0, path: file }: ServiceAccountTokenProjection,
  path: FieldPath,
  { errors, rules, volumePath }: Projection,
): void {
  if (expirationSeconds < 600)
    errors.push(
      invalid(path.child('expirationSeconds'), expirationSeconds, 'may not specify a duration less than 10 minutes'),
    );
  if (expirationSeconds > 2 ** 32)
    errors.push(
      invalid(
        path.child('expirationSeconds'),
        expirationSeconds,
        'may not specify a duration larger than 2^32 seconds',
      ),
    );
  if (checkRequiredText(file, volumePath.child('path'), errors) && !rules.nonLocalTokenPaths)
    checkFilePath(file!, volumePath.child('path'), errors);
}

function checkTrustBundle(bundle: ClusterTrustBundleProjection, path: FieldPath, { errors, files }: Projection): void {
  const { name, signerName, path: file = '' } = bundle;
  if (name !== undefined && signerName !== undefined)
    errors.push(
      invalid(
        path,
        shownStruct('core/v1.ClusterTrustBundleProjection', bundle),
        'only one of name and signerName may be used',
      ),
    );
  else if (name !== undefined) checkBundleByName(bundle, name, path, errors);
  else if (signerName !== undefined) {
    checkRequiredText(signerName, path.child('signerName'), errors, 'must be a valid signer name');
    checkSignerName(signerName, path.child('signerName'), errors);
    checkLabelSelector(bundle.labelSelector, path.child('labelSelector'), errors);
  } else errors.push(required(path, 'either name or signerName must be specified'));
  checkRequiredText(file, path.child('path'), errors);
  checkFilePath(file, path.child('path'), errors);
  files.add(file, file);
}

function checkBundleByName(
  { labelSelector }: ClusterTrustBundleProjection,
  name: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredText(name, path.child('name'), errors, 'must be a valid object name');
  for (const message of isClusterTrustBundleName(name))
    errors.push(invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${message}`));
  if (labelSelector !== undefined)
    errors.push(
      invalid(
        path.child('labelSelector'),
        shownStruct('meta/v1.LabelSelector', labelSelector),
        'labelSelector must be unset if name is specified',
      ),
    );
}
