/**
 * The volumes of a pod: each has a name and exactly one source.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/ | Volumes}
 */
import type {
  EphemeralVolumeSource,
  GitRepoVolumeSource,
  ImageVolumeSource,
  PersistentVolumeClaimVolumeSource,
  Volume,
} from '../../gen/types/core-v1.ts';
import { duplicate, forbidden, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { quantityOf } from '../resources/quantities.ts';
import { checkClaimTemplate } from '../volumes/claim-spec.ts';
import { checkCsiVolume } from '../volumes/csi.ts';
import * as disks from '../volumes/disks.ts';
import { checkConfigMapVolume, checkDownwardApiVolume, checkSecretVolume } from '../volumes/files.ts';
import { checkHostPathVolume } from '../volumes/host-path.ts';
import { checkIscsiVolume, isSessionNameTooLong, sessionNameMessage } from '../volumes/iscsi.ts';
import { checkDescendingPath } from '../volumes/paths.ts';
import { checkProjectedVolume } from '../volumes/projected.ts';
import { checkPullPolicy } from './pull-policy.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

/** The good volumes by name: mounts may name only these. */
export type KnownVolumes = ReadonlyMap<string, Volume>;

const noVolumes: KnownVolumes = new Map();

/** `podName` is known for pods, not for templates. */
export function checkVolumes(
  volumes: readonly Volume[] | undefined,
  podName: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): KnownVolumes {
  if (volumes === undefined || volumes.length === 0) return noVolumes;
  const known = new Map<string, Volume>();
  const made = madeClaims(volumes, podName);
  volumes.forEach((volume, i) => {
    const { name = '' } = volume;
    const before = errors.length;
    const at = path.index(i);
    checkVolume(volume, podName, at, errors, rules);
    if (known.has(name)) errors.push(duplicate(at.child('name'), name));
    if (errors.length === before) known.set(name, volume);
    checkNoOwnClaim(volume, made, at, errors);
  });
  return known;
}

function checkVolume(
  volume: Volume,
  podName: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkSources(volume, podName, path, errors, rules);
  if (checkRequiredText(volume.name, path.child('name'), errors))
    checkFormat(isDns1123Label, volume.name!, path.child('name'), errors);
}

/** Names of the claims that are made for the pod's ephemeral volumes. */
const madeClaims = (volumes: readonly Volume[], podName: string | undefined): ReadonlySet<string> =>
  new Set(
    podName === undefined || podName === ''
      ? []
      : volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name = '' }) => `${podName}-${name}`),
  );

/** A claim that is made for an ephemeral volume of the pod cannot be another of its volumes. */
function checkNoOwnClaim(
  { persistentVolumeClaim }: Volume,
  made: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (persistentVolumeClaim === undefined) return;
  const { claimName = '' } = persistentVolumeClaim;
  if (!made.has(claimName)) return;
  errors.push(
    invalid(
      path.child('persistentVolumeClaim', 'claimName'),
      claimName,
      'must not reference a PVC that gets created for an ephemeral volume',
    ),
  );
}

type Source = Exclude<keyof Volume, 'name'>;
type SourceCheck<S extends Source> = (
  source: NonNullable<Volume[S]>,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
) => void;

interface SourceRule {
  readonly source: Source;
  readonly check: SourceCheck<never>;
  /** What paths of errors call the source: `inside` it, or when it is one too many. */
  readonly inside: string;
  readonly refused: string;
}

const rule = <S extends Source>(
  source: S,
  check: SourceCheck<S>,
  { inside = source as string, refused = source as string } = {},
): SourceRule => ({ source, check: check as SourceCheck<never>, inside, refused });

/** In the order in which they are looked at: a second source is refused. */
const sourceRules: readonly SourceRule[] = [
  rule('emptyDir', ({ sizeLimit }, path, errors) => {
    if (sizeLimit !== undefined && quantityOf(sizeLimit).sign() < 0)
      errors.push(forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity'));
  }),
  rule('hostPath', checkHostPathVolume),
  rule('gitRepo', checkGitRepo),
  rule('gcePersistentDisk', disks.checkGceVolume, { inside: 'persistentDisk' }),
  rule('awsElasticBlockStore', disks.checkAwsVolume),
  rule('secret', checkSecretVolume),
  rule('nfs', disks.checkNfsVolume),
  rule('iscsi', checkIscsiVolume),
  rule('glusterfs', disks.checkGlusterfsVolume),
  rule('flocker', disks.checkFlockerVolume),
  rule('persistentVolumeClaim', checkClaim),
  rule('rbd', disks.checkRbdVolume),
  rule('cinder', disks.checkCinderVolume),
  rule('cephfs', disks.checkCephFsVolume, { refused: 'cephFS' }),
  rule('quobyte', disks.checkQuobyteVolume),
  rule('downwardAPI', checkDownwardApiVolume, { refused: 'downwarAPI' }),
  rule('fc', disks.checkFcVolume),
  rule('flexVolume', disks.checkFlexVolume),
  rule('configMap', checkConfigMapVolume),
  rule('azureFile', disks.checkAzureFileVolume),
  rule('vsphereVolume', disks.checkVsphereVolume),
  rule('photonPersistentDisk', disks.checkPhotonVolume),
  rule('portworxVolume', disks.checkPortworxVolume),
  rule('azureDisk', disks.checkAzureDiskVolume),
  rule('storageos', disks.checkStorageOsVolume),
  rule('projected', checkProjectedVolume),
  rule('scaleIO', disks.checkScaleIoVolume),
  rule('csi', checkCsiVolume),
  rule('ephemeral', checkEphemeral),
  rule('image', checkImage),
];

/** Every member of a volume that is a source. */
export const volumeSources: readonly Source[] = sourceRules.map(({ source }) => source);

function checkSources(
  volume: Volume,
  podName: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  let found = false;
  for (const { source, check, inside, refused } of sourceRules) {
    const value = volume[source];
    if (value === undefined) continue;
    if (found) errors.push(forbidden(path.child(refused), 'may not specify more than 1 volume type'));
    else {
      check(value as never, path.child(inside), errors, rules);
      if (source === 'ephemeral') checkClaimName(volume, podName, path, errors);
    }
    if (source === 'iscsi' && isSessionNameTooLong(volume.iscsi!, volume.name ?? ''))
      errors.push(invalid(path.child('name'), volume.name ?? '', sessionNameMessage));
    found = true;
  }
  if (!found) errors.push(required(path, 'must specify a volume type'));
}

function checkGitRepo({ repository, directory = '' }: GitRepoVolumeSource, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(repository, path.child('repository'), errors);
  checkDescendingPath(directory, path.child('directory'), errors);
}

function checkClaim({ claimName }: PersistentVolumeClaimVolumeSource, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(claimName, path.child('claimName'), errors);
}

function checkEphemeral(
  { volumeClaimTemplate }: EphemeralVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  const at = path.child('volumeClaimTemplate');
  if (volumeClaimTemplate === undefined) errors.push(required(at));
  else checkClaimTemplate(volumeClaimTemplate, at, errors, rules);
}

/** The claim of an ephemeral volume gets its name from pod and volume. */
function checkClaimName(
  { name = '' }: Volume,
  podName: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (podName === undefined || podName === '' || name === '') return;
  const claimName = `${podName}-${name}`;
  for (const message of isDns1123Subdomain(claimName))
    errors.push(invalid(path.child('name'), name, `PVC name ${goQuote(claimName)}: ${message}`));
}

function checkImage(
  { reference, pullPolicy }: ImageVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  if (rules.isPod) checkRequiredText(reference, path.child('reference'), errors);
  checkPullPolicy(pullPolicy, path.child('pullPolicy'), errors);
}
