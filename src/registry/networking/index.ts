import { ingressCells } from '../../api/networking/ingresses/table.ts';
import { fromOldIngress, setOldIngressDefaults, toOldIngress } from '../../api/networking/ingresses/v1beta1.ts';
import { ingressClassCells, setIngressClassDefaults } from '../../api/networking/ingress-classes/validation.ts';
import { ipAddressCells } from '../../api/networking/ip-addresses/validation.ts';
import { networkPolicyCells, setNetworkPolicyDefaults } from '../../api/networking/network-policies/validation.ts';
import { serviceCidrCells } from '../../api/networking/service-cidrs/validation.ts';
import type { Ingress, IngressClass, NetworkPolicy } from '../../api/gen/types/networking-v1.ts';
import type { Ingress as OldIngress, IPAddress, ServiceCIDR } from '../../api/gen/types/networking-v1beta1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { ingressStatusStrategy, ingressStrategy } from './ingresses/strategy.ts';
import { ingressClassStrategy } from './ingress-classes/strategy.ts';
import { networkPolicyStrategy } from './network-policies/strategy.ts';
import { ipAddressStrategy } from './ip-addresses/strategy.ts';
import { serviceCidrStatusStrategy, serviceCidrStrategy } from './service-cidrs/strategy.ts';

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
  strategy: ingressStrategy,
  status: ingressStatusStrategy,
  table: { cells: (ingress, { now }) => ingressCells(ingress, now) },
});

/** Both versions have the same fields. */
const classRules: VersionRules = { defaults: (ingressClass) => setIngressClassDefaults(ingressClass as IngressClass) };

const ingressClasses = defineResource<IngressClass>({
  group,
  resource: 'ingressclasses',
  versions: { v1: classRules, v1beta1: classRules },
  strategy: ingressClassStrategy,
  table: { cells: (ingressClass, { now }) => ingressClassCells(ingressClass, now) },
});

/** The older version is that of group extensions, with the same fields. */
const policyRules: VersionRules = { defaults: (policy) => setNetworkPolicyDefaults(policy as NetworkPolicy) };

const networkPolicies = defineResource<NetworkPolicy>({
  group,
  resource: 'networkpolicies',
  versions: { v1: policyRules, v1beta1: policyRules },
  strategy: networkPolicyStrategy,
  table: { cells: (policy, { now }) => networkPolicyCells(policy, now) },
});

const ipAddresses = defineResource<IPAddress>({
  group,
  resource: 'ipaddresses',
  strategy: ipAddressStrategy,
  table: { cells: (address, { now }) => ipAddressCells(address, now) },
});

const serviceCidrs = defineResource<ServiceCIDR>({
  group,
  resource: 'servicecidrs',
  strategy: serviceCidrStrategy,
  status: serviceCidrStatusStrategy,
  table: { cells: (range, { now }) => serviceCidrCells(range, now) },
});

export const definitions: ResourceDefinition[] = [
  ingresses,
  ingressClasses,
  networkPolicies,
  ipAddresses,
  serviceCidrs,
];
