import { duration, file, int, portRange, section, strings } from '../flag.ts';

export const services = section('Service', {
  clusterIpRanges: strings('service-cluster-ip-range', 'works', {
    default: ['10.0.0.0/24'],
    help:
      'CIDR from which services get their cluster IPs; two, of different families, for dual stack. Must not ' +
      'overlap with addresses of nodes or pods.',
  }),
  nodePortRange: portRange('service-node-port-range', 'works', {
    default: { first: 30000, last: 32767 },
    help: 'Ports for services of type NodePort, both ends included.',
  }),
  kubernetesServiceNodePort: int('kubernetes-service-node-port', 'works', {
    help: 'Node port of the kubernetes service, which then has type NodePort. 0 leaves it at type ClusterIP.',
  }),
});

export const nodeAgent = section('Node agent', {
  certificateAuthority: file('nodeagent-certificate-authority', 'notYet', {
    alias: 'kubelet-certificate-authority',
    help: "Certificate authorities of the node agents' serving certificates.",
  }),
  clientCertificate: file('nodeagent-client-certificate', 'notYet', {
    alias: 'kubelet-client-certificate',
    help: 'Client certificate to show to node agents.',
  }),
  clientKey: file('nodeagent-client-key', 'notYet', {
    alias: 'kubelet-client-key',
    help: 'Private key of --nodeagent-client-certificate.',
  }),
  preferredAddressTypes: strings('nodeagent-preferred-address-types', 'notYet', {
    alias: 'kubelet-preferred-address-types',
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    help: 'Which address of a node to use, best first.',
  }),
  timeoutMs: duration('nodeagent-timeout', 'notYet', {
    alias: 'kubelet-timeout',
    default: '5s',
    help: 'How long calls to node agents may take.',
  }),
});
