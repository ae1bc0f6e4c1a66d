import { subdomainName } from '../../../api/meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../../api/meta/object-meta.ts';
import type { ServiceAccount } from '../../../api/gen/types/core-v1.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { ResourceStrategy } from '../../strategy.ts';

const mountableAnnotation = 'kubernetes.io/enforce-mountable-secrets';

const validate = (object: ServiceAccount) =>
  validateBuiltInMeta(object.metadata ?? {}, { namespaced: true, validateName: subdomainName });

const warnings = ({ metadata }: ServiceAccount): string[] =>
  metadata?.annotations?.[mountableAnnotation] === undefined
    ? []
    : [
        `metadata.annotations[${mountableAnnotation}]: deprecated in v1.32+; prefer separate namespaces to ` +
          'isolate access to mounted secrets',
      ];

export const serviceAccountStrategy: ResourceStrategy<ServiceAccount> = {
  validate,
  warningsOnCreate: warnings,
  validateUpdate: (object, old) =>
    FieldErrors.joined(validateBuiltInMetaUpdate(object.metadata ?? {}, old.metadata ?? {}), validate(object)),
  warningsOnUpdate: warnings,
};
