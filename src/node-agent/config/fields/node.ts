/** The node as an object, and how the agent talks with the API server about it. */
import type { Taint } from '../../../api/gen/types/core-v1.ts';
import { bool, duration, gates, int, object, text, texts } from '../field.ts';

export const node = {
  registerNode: bool(true, { flag: 'register-node', help: 'Create the node object when it is not there.' }),
  registerWithTaints: object<readonly Taint[]>(
    [{ key: 'string', value: 'string', effect: 'string', timeAdded: 'string' }],
    [],
    {
      flag: 'register-with-taints',
      help: 'Taints that a node has when it is created: key=value:effect, comma separated.',
    },
  ),
  nodeStatusUpdateFrequency: duration('10s', {
    flag: 'node-status-update-frequency',
    help: 'How often the status of the node is computed.',
  }),
  nodeStatusReportFrequency: duration('5m', {
    help:
      'How often the status is written while nothing in it changes. Without it 5m, or nodeStatusUpdateFrequency ' +
      'where that is given.',
  }),
  nodeStatusMaxImages: int(50, {
    keepsZero: true,
    range: [-1, Infinity],
    flag: 'node-status-max-images',
    help: 'How many images the status lists. -1 means all.',
  }),
  nodeLeaseDurationSeconds: int(40, {
    range: [1, Infinity],
    help: 'How long the node counts as alive after a heartbeat. They come four times as often.',
  }),
  maxPods: int(110, { range: [0, Infinity], flag: 'max-pods', help: 'How many pods the node takes.' }),
  podsPerCore: int(0, {
    range: [0, Infinity],
    flag: 'pods-per-core',
    help: 'How many pods the node takes for each CPU, within --max-pods. 0 means as many as that says.',
  }),
  podCIDR: text('', { flag: 'pod-cidr', help: 'Range of the addresses of pods where there is no API server.' }),
  providerID: text('', { flag: 'provider-id', help: 'How a cloud calls this machine.' }),
  enableControllerAttachDetach: bool(true, {
    flag: 'enable-controller-attach-detach',
    help: 'Volumes are attached by the controller manager. The agent itself attaches none.',
  }),
  clusterDomain: text('', {
    flag: 'cluster-domain',
    help: 'Domain of the cluster: pods search it for names.',
  }),
  clusterDNS: texts([], {
    flag: 'cluster-dns',
    help: 'Addresses of the DNS servers of pods with DNS policy ClusterFirst.',
  }),
  kubeAPIQPS: int(50, {
    keepsZero: true,
    range: [0, Infinity],
    flag: 'kube-api-qps',
    help: 'Requests per second to the API server in the long run. 0 means 5.',
  }),
  kubeAPIBurst: int(100, {
    range: [0, Infinity],
    flag: 'kube-api-burst',
    help: 'Requests that may be sent at once after a pause.',
  }),
  contentType: text('application/vnd.kubernetes.protobuf', {
    oneOf: ['application/vnd.kubernetes.protobuf', 'application/vnd.orch.protobuf', 'application/json'],
    flag: 'kube-api-content-type',
    help: 'How built-in types are sent: application/vnd.kubernetes.protobuf or application/json.',
  }),
  eventRecordQPS: int(50, {
    keepsZero: true,
    range: [0, Infinity],
    flag: 'event-qps',
    help: 'Events per second in the long run. 0 means without limit.',
  }),
  eventBurst: int(100, {
    range: [0, Infinity],
    flag: 'event-burst',
    help: 'Events that may be sent at once after a pause.',
  }),
  featureGates: gates({}, { help: 'Features that are not settled yet, by name.' }),
};
