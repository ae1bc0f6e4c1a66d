import {
  ingressClassAnnotation,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from '../../../api/networking/ingresses/validation.ts';
import type { Ingress } from '../../../api/gen/types/networking-v1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const ingressStrategy: ResourceStrategy<Ingress> = {
  prepareForCreate(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  validate: validateIngress,
  warningsOnCreate: ({ metadata, spec }) =>
    metadata.annotations?.[ingressClassAnnotation] !== undefined && spec.ingressClassName === undefined
      ? [`annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  prepareForUpdate(ingress, old) {
    ingress.status = old.status;
  },
  validateUpdate: validateIngressUpdate,
  generation: true,
  resetFields: [['status']],
};

export const ingressStatusStrategy: Strategy<Ingress> = {
  prepareForUpdate(ingress, old) {
    ingress.spec = old.spec;
  },
  validateUpdate: validateIngressStatusUpdate,
  resetFields: [['spec']],
};
