/** Requests of nodes, and the objects in them. */
import { encodedRequest } from '../../../../test/support/certificate-requests.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';

export const user = { name: 'system:node:one', groups: ['system:nodes'] };
export const pod = (name: string, nodeName: string): KubeObject =>
  ({ metadata: { name, namespace: 'team', uid: `uid-${name}` }, spec: { nodeName } }) as KubeObject;
export interface NodeRequest {
  readonly name: string;
  readonly resource: string;
  readonly group?: string;
  readonly object?: object;
  readonly old?: object;
  readonly more?: Partial<AdmissionAttributes>;
  readonly why?: string;
}

export const owner = { apiVersion: 'v1', kind: 'Node', name: 'one', uid: 'uid-one', controller: true };
export const mirror = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata },
  spec: { nodeName: 'one', containers: [], ...spec },
});
export const node = (name: string, more: object = {}, labels: object = {}): object => ({
  metadata: { name, labels, ...more },
  spec: {},
});
export const bound = (ref: object): object => ({
  metadata: {},
  spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...ref } },
});
export const token = { namespace: 'team', name: 'builder', subresource: 'token' };
export const csr = (commonName: string): object => ({
  metadata: { name: 'c' },
  spec: {
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    request: encodedRequest({ commonName, organizations: ['system:nodes'] }),
  },
});
