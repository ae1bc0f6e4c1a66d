import { ingressCells } from '../../api/networking/ingresses/table.ts';
import { fromOldIngress, setOldIngressDefaults, toOldIngress } from '../../api/networking/ingresses/v1beta1.ts';
import {
  ingressClassAnnotation,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from '../../api/networking/ingresses/validation.ts';
import {
  ingressClassCells,
  setIngressClassDefaults,
  validateIngressClass,
  validateIngressClassUpdate,
} from '../../api/networking/ingress-classes/validation.ts';
import {
  ipAddressCells,
  validateIpAddress,
  validateIpAddressUpdate,
} from '../../api/networking/ip-addresses/validation.ts';
import {
  networkPolicyCells,
  setNetworkPolicyDefaults,
  validateNetworkPolicy,
  validateNetworkPolicyUpdate,
} from '../../api/networking/network-policies/validation.ts';
import {
  serviceCidrCells,
  validateServiceCidr,
  validateServiceCidrUpdate,
} from '../../api/networking/service-cidrs/validation.ts';
import type { Ingress, IngressClass, NetworkPolicy } from '../../api/gen/types/networking-v1.ts';
import type { Ingress as OldIngress, IPAddress, ServiceCIDR } from '../../api/gen/types/networking-v1beta1.ts';
import { validateBuiltInMetaUpdate } from '../../api/meta/object-meta.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';

const group = 'networking.k8s.io';

const ingresses = defineResource<Ingress>({
  group,
  resource: 'ingresses',
  versions: {
    v1beta1: {
      defaults: (ingress: KubeObject) => setOldIngressDefaults(ingress as OldIngress),
      toStorage: (ingress: KubeObject) => fromOldIngress(ingress as OldIngress),
      fromStorage: (ingress: KubeObject) => toOldIngress(ingress as Ingress),
    },
  },
  strategy: {
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
  },
  status: {
    prepareForUpdate(ingress, old) {
      ingress.spec = old.spec;
    },
    validateUpdate: validateIngressStatusUpdate,
    resetFields: [['spec']],
  },
  table: { cells: (ingress, { now }) => ingressCells(ingress, now) },
});

/** Both versions have the same fields. */
const classRules: VersionRules = { defaults: (ingressClass) => setIngressClassDefaults(ingressClass as IngressClass) };

const ingressClasses = defineResource<IngressClass>({
  group,
  resource: 'ingressclasses',
  versions: { v1: classRules, v1beta1: classRules },
  strategy: { validate: validateIngressClass, validateUpdate: validateIngressClassUpdate, generation: true },
  table: { cells: (ingressClass, { now }) => ingressClassCells(ingressClass, now) },
});

/** The older version is that of group extensions, with the same fields. */
const policyRules: VersionRules = { defaults: (policy) => setNetworkPolicyDefaults(policy as NetworkPolicy) };

const networkPolicies = defineResource<NetworkPolicy>({
  group,
  resource: 'networkpolicies',
  versions: { v1: policyRules, v1beta1: policyRules },
  strategy: { validate: validateNetworkPolicy, validateUpdate: validateNetworkPolicyUpdate, generation: true },
  table: { cells: (policy, { now }) => networkPolicyCells(policy, now) },
});

const ipAddresses = defineResource<IPAddress>({
  group,
  resource: 'ipaddresses',
  strategy: { validate: validateIpAddress, validateUpdate: validateIpAddressUpdate },
  table: { cells: (address, { now }) => ipAddressCells(address, now) },
});

const serviceCidrs = defineResource<ServiceCIDR>({
  group,
  resource: 'servicecidrs',
  strategy: { validate: validateServiceCidr, validateUpdate: validateServiceCidrUpdate },
  status: {
    prepareForUpdate(range, old) {
      range.spec = old.spec;
    },
    validateUpdate: (range, old) => validateBuiltInMetaUpdate(range.metadata, old.metadata),
    resetFields: [['spec']],
  },
  table: { cells: (range, { now }) => serviceCidrCells(range, now) },
});

export const definitions: ResourceDefinition[] = [
  ingresses,
  ingressClasses,
  networkPolicies,
  ipAddresses,
  serviceCidrs,
];
