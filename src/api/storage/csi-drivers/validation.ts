/**
 * What a CSI driver supports. @see {@link https://kubernetes-csi.github.io/docs/csi-driver-object.html | CSIDriver
 * object}
 */
import type { CSIDriver, CSIDriverSpec, TokenRequest } from '../../gen/types/storage-v1.ts';
import { duplicate, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goNames } from '../../../machinery/go-quote.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';

const specPath = FieldPath.of('spec');
const fsGroupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];

export function setCsiDriverDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if ((spec.volumeLifecycleModes?.length ?? 0) === 0) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  // Dropped later while its gate is off.
  spec.seLinuxMount ??= false;
}

export function validateCsiDriver({ metadata, spec }: CSIDriver): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkDriverSpec(spec, errors);
  return errors;
}

export function validateCsiDriverUpdate(object: CSIDriver, old: CSIDriver): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  checkDriverSpec(object.spec, errors);
  checkImmutable(object.spec.attachRequired, old.spec.attachRequired, specPath.child('attachedRequired'), errors);
  checkImmutable(
    object.spec.volumeLifecycleModes,
    old.spec.volumeLifecycleModes,
    specPath.child('volumeLifecycleModes'),
    errors,
    (modes: string[]) => goNames('[]storage.VolumeLifecycleMode', modes),
  );
  return errors;
}

function checkDriverSpec(spec: CSIDriverSpec, errors: FieldErrors): void {
  const { fsGroupPolicy, volumeLifecycleModes = [] } = spec;
  if (spec.attachRequired === undefined) errors.push(required(specPath.child('attachedRequired')));
  if (spec.podInfoOnMount === undefined) errors.push(required(specPath.child('podInfoOnMount')));
  if (spec.storageCapacity === undefined) errors.push(required(specPath.child('storageCapacity')));
  if (fsGroupPolicy === undefined) errors.push(required(specPath.child('fsGroupPolicy')));
  else if (!fsGroupPolicies.includes(fsGroupPolicy))
    errors.push(notSupported(specPath.child('fsGroupPolicy'), fsGroupPolicy, fsGroupPolicies));
  checkTokenRequests(spec.tokenRequests, specPath.child('tokenRequests'), errors);
  for (const mode of volumeLifecycleModes)
    if (!lifecycleModes.includes(mode))
      errors.push(notSupported(specPath.child('volumeLifecycleModes'), mode, lifecycleModes));
}

function checkTokenRequests(requests: readonly TokenRequest[] | undefined, path: FieldPath, errors: FieldErrors): void {
  const audiences = new Set<string>();
  requests?.forEach(({ audience = '', expirationSeconds: seconds }, i) => {
    if (audiences.has(audience)) return void errors.push(duplicate(path.index(i).child('audience'), audience));
    audiences.add(audience);
    if (seconds === undefined) return;
    const at = path.index(i).child('expirationSeconds');
    if (seconds < 600) errors.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > 2 ** 32) errors.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  });
}
