import { validateNode, validateNodeUpdate } from '../../../api/core/nodes/validation.ts';
import type { Node } from '../../../api/gen/types/core-v1.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const nodeStrategy: ResourceStrategy<Node> = {
  validate: validateNode,
  prepareForUpdate: (object, old) => {
    object.status = old.status;
  },
  validateUpdate: (object, old) => FieldErrors.joined(validateNodeUpdate(object, old), validateNode(object)),
  resetFields: [['status']],
};

export const nodeStatusStrategy: Strategy<Node> = {
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
    // Dynamic kubelet configuration is gone; upstream drops what only it used, unless it is stored already.
    if (object.status?.config !== undefined && old.status?.config === undefined) delete object.status.config;
  },
  validateUpdate: validateNodeUpdate,
  resetFields: [['spec']],
};
