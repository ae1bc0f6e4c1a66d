import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
} from '../../../api/apps/controller-revisions/validation.ts';
import type { ControllerRevision } from '../../../api/gen/types/apps-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const controllerRevisionStrategy: ResourceStrategy<ControllerRevision> = {
  validate: validateControllerRevision,
  validateUpdate: validateControllerRevisionUpdate,
};
