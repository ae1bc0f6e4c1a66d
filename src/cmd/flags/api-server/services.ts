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
  certificateAuthority: file('nodeagent-certificate-authority', 'supported', {
    alias: 'kubelet-certificate-authority',
    help: "Certificate authorities of the node agents' serving certificates. Without it they are not verified.",
  }),
  clientCertificate: file('nodeagent-client-certificate', 'supported', {
    alias: 'kubelet-client-certificate',
    help: 'Client certificate to show to node agents.',
  }),
  clientKey: file('nodeagent-client-key', 'supported', {
    alias: 'kubelet-client-key',
    help: 'Private key of --nodeagent-client-certificate.',
  }),
  preferredAddressTypes: strings('nodeagent-preferred-address-types', 'supported', {
    alias: 'kubelet-preferred-address-types',
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    help: 'Which address of a node to use, best first.',
  }),
  timeoutMs: duration('nodeagent-timeout', 'supported', {
    alias: 'kubelet-timeout',
    default: '5s',
    help: 'How long it may take until a connection to a node is there and its handshake is done.',
  }),
  port: int('nodeagent-port', 'supported', {
    alias: 'kubelet-port',
    default: 10250,
    deprecated: 'A node says in its status where its agent listens.',
    help: 'Where the agent of a node listens that does not say where.',
  }),
  readOnlyPort: int('nodeagent-read-only-port', 'ignored', {
    alias: 'kubelet-read-only-port',
    default: 10255,
    deprecated: 'The API server does not use the read-only port.',
    help: 'No effect.',
  }),
});
