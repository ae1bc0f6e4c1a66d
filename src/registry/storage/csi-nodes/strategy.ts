import { validateCsiNode, validateCsiNodeUpdate } from '../../../api/storage/csi-nodes/validation.ts';
import type { CSINode } from '../../../api/gen/types/storage-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const csiNodeStrategy: ResourceStrategy<CSINode> = {
  allowUnconditionalUpdate: false,
  validate: validateCsiNode,
  validateUpdate: validateCsiNodeUpdate,
};
