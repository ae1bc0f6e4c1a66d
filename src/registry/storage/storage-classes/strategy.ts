import { validateStorageClass, validateStorageClassUpdate } from '../../../api/storage/storage-classes/validation.ts';
import { nodeLabelWarning } from '../../../api/core/pods/warnings.ts';
import type { StorageClass } from '../../../api/gen/types/storage-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { ResourceStrategy } from '../../strategy.ts';

function* topologyWarnings({ allowedTopologies = [] }: StorageClass): Generator<string> {
  const field = FieldPath.of('allowedTopologies');
  for (const [i, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    for (const [j, { key = '' }] of matchLabelExpressions.entries()) {
      const text = nodeLabelWarning(key);
      if (text !== undefined)
        yield `${field.index(i).child('matchLabelExpressions').index(j).child('key')}: ${key} is ${text}`;
    }
  }
}

export const storageClassStrategy: ResourceStrategy<StorageClass> = {
  validate: validateStorageClass,
  warningsOnCreate: topologyWarnings,
  validateUpdate: validateStorageClassUpdate,
  warningsOnUpdate: topologyWarnings,
};
