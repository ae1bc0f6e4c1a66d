import { duration, file, int, portRange, section, strings } from '../flag.ts';

export const services = section('Service', {
  clusterIpRanges: strings('service-cluster-ip-range', 'supported', {
    default: ['10.0.0.0/24'],
    help:
      'CIDR from which services get their cluster IPs; two, of different families, for dual stack. Must not ' +
      'overlap with addresses of nodes or pods.',
  }),
  nodePortRange: portRange('service-node-port-range', 'supported', {
    default: { first: 30000, last: 32767 },
    help: 'Ports for services of type NodePort, both ends included.',
  }),
  kubernetesServiceNodePort: int('kubernetes-service-node-port', 'supported', {
    help: 'Node port of the kubernetes service, which then has type NodePort. 0 leaves it at type ClusterIP.',
  }),
});

export const nodeAgent = section('Node agent', {
  certificateAuthority: file('nodeagent-certificate-authority', 'unsupported', {
    alias: 'kubelet-certificate-authority',
    help: "Certificate authorities of the node agents' serving certificates.",
  }),
  clientCertificate: file('nodeagent-client-certificate', 'unsupported', {
    alias: 'kubelet-client-certificate',
    help: 'Client certificate to show to node agents.',
  }),
  clientKey: file('nodeagent-client-key', 'unsupported', {
    alias: 'kubelet-client-key',
    help: 'Private key of --nodeagent-client-certificate.',
  }),
  preferredAddressTypes: strings('nodeagent-preferred-address-types', 'unsupported', {
    alias: 'kubelet-preferred-address-types',
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    help: 'Which address of a node to use, best first.',
  }),
  timeoutMs: duration('nodeagent-timeout', 'unsupported', {
    alias: 'kubelet-timeout',
    default: '5s',
    help: 'How long calls to node agents may take.',
  }),
});
