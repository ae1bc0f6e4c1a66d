import {
  validateIngressClass,
  validateIngressClassUpdate,
} from '../../../api/networking/ingress-classes/validation.ts';
import type { IngressClass } from '../../../api/gen/types/networking-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const ingressClassStrategy: ResourceStrategy<IngressClass> = {
  validate: validateIngressClass,
  validateUpdate: validateIngressClassUpdate,
  generation: true,
};
