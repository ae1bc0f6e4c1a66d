import { subdomainName } from '../../../api/meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../../api/meta/object-meta.ts';
import type { ServiceAccount } from '../../../api/gen/types/core-v1.ts';
import { ageCell } from '../../../api/table/cells.ts';
import { defineResource } from '../../strategy.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';

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

export const serviceAccounts = defineResource<ServiceAccount>({
  group: '',
  resource: 'serviceaccounts',
  strategy: {
    validate,
    warningsOnCreate: warnings,
    validateUpdate: (object, old) =>
      FieldErrors.joined(validateBuiltInMetaUpdate(object.metadata ?? {}, old.metadata ?? {}), validate(object)),
    warningsOnUpdate: warnings,
  },
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, secrets }, { now }) => [
      metadata?.name ?? '',
      secrets?.length ?? 0,
      ageCell(metadata?.creationTimestamp, now),
    ],
  },
});
