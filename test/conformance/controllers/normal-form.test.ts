import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/machinery/value.ts';
import { normalForm } from './normal-form.ts';
import { Masks } from './tokens.ts';

const uid = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
const metadata = { name: 'a', namespace: 'ns', uid, resourceVersion: '5', creationTimestamp: '2026-01-02T03:04:05Z' };
const shown = { uid: `<uid:${uid}>` };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

const defaults = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  securityContext: {},
  schedulerName: 'default-scheduler',
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
  priority: 0,
  serviceAccount: 'default',
  serviceAccountName: 'default',
};
const container = {
  name: 'app',
  image: 'app:1',
  resources: {},
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const toleration = (state: string, tolerationSeconds: number): JsonObject => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
});

test.each<{ name: string; resource?: string; object: JsonObject; expected: JsonObject }>([
  {
    name: 'metadata that differ from run to run',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, generation: 1, managedFields: [] } },
    expected: { metadata: shown },
  },
  {
    name: 'the annotation with the time of a change, which is there or not',
    resource: 'endpoints',
    object: {
      metadata: { ...metadata, annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': 'x' } },
    },
    expected: { metadata: shown },
  },
  {
    name: 'the same annotation of a user',
    resource: 'services',
    object: {
      metadata: { ...metadata, annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': 'x' } },
    },
    expected: { metadata: { ...shown, annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': 'x' } } },
  },
  {
    name: 'defaults of a pod',
    object: { metadata, spec: { ...defaults, containers: [container] } },
    expected: { metadata: shown, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
  },
  {
    name: 'other values than the defaults',
    object: {
      metadata,
      spec: { restartPolicy: 'Never', priority: 1, containers: [{ name: 'app', resources: { a: 1 } }] },
    },
    expected: {
      metadata: shown,
      spec: { restartPolicy: 'Never', priority: 1, containers: [{ name: 'app', resources: { a: 1 } }] },
    },
  },
  {
    name: 'the volume of the token, and tolerations of admission',
    object: {
      metadata,
      spec: {
        containers: [{ name: 'app', volumeMounts: [{ name: 'kube-api-access-x7k2p' }, { name: 'data' }] }],
        volumes: [{ name: 'kube-api-access-x7k2p' }],
        tolerations: [toleration('not-ready', 300), toleration('unreachable', 300), toleration('unreachable', 5)],
      },
    },
    expected: {
      metadata: shown,
      spec: {
        containers: [{ name: 'app', volumeMounts: [{ name: 'data' }] }],
        tolerations: [toleration('unreachable', 5)],
      },
    },
  },
  {
    name: 'a template of a template',
    object: {
      metadata,
      spec: {
        jobTemplate: {
          metadata: { creationTimestamp: null },
          spec: {
            template: {
              metadata: { creationTimestamp: null, labels: { a: 'b' } },
              spec: { ...defaults, containers: [] },
            },
          },
        },
      },
    },
    expected: {
      metadata: shown,
      spec: { jobTemplate: { spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } } } },
    },
  },
  {
    name: 'a status of the current generation',
    object: { metadata: { ...metadata, generation: 2 }, status: { observedGeneration: 2 } },
    expected: { metadata: shown, status: { observedGeneration: '<generation>' } },
  },
  {
    name: 'a condition of the current generation',
    object: {
      metadata: { ...metadata, generation: 2 },
      status: { conditions: [{ type: 'A', observedGeneration: 2 }] },
    },
    expected: { metadata: shown, status: { conditions: [{ type: 'A', observedGeneration: '<generation>' }] } },
  },
  {
    name: 'a status of an older generation',
    object: { metadata: { ...metadata, generation: 2 }, status: { observedGeneration: 1, nodeInfo: {} } },
    expected: { metadata: shown, status: { observedGeneration: '<older>' } },
  },
  {
    name: 'conditions by type, taints by key and effect',
    object: {
      metadata,
      spec: { taints: [{ key: 'b' }, { key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoExecute' }] },
      status: { conditions: [{ type: 'Ready' }, { type: 'Available' }] },
    },
    expected: {
      metadata: shown,
      spec: { taints: [{ key: 'a', effect: 'NoExecute' }, { key: 'a', effect: 'NoSchedule' }, { key: 'b' }] },
      status: { conditions: [{ type: 'Available' }, { type: 'Ready' }] },
    },
  },
  {
    name: 'a secret',
    object: {
      metadata,
      type: 'kubernetes.io/service-account-token',
      data: { 'ca.crt': base64(pem), namespace: base64('ns-uabc123'), token: base64('eyJh.eyJi.c2ln') },
    },
    expected: {
      metadata: shown,
      type: 'kubernetes.io/service-account-token',
      data: { 'ca.crt': '<certificate>', namespace: 'base64 of ns-<u>', token: 'base64 of <jwt>' },
    },
  },
  {
    name: 'the detached signature of a bootstrap token, which is compared',
    object: { metadata, data: { 'jws-kubeconfig-a': 'eyJhbGciOiJIUzI1NiJ9..c2ln', 'ca.crt': pem } },
    expected: {
      metadata: shown,
      data: { 'jws-kubeconfig-a': 'eyJhbGciOiJIUzI1NiJ9..c2ln', 'ca.crt': '<certificate>' },
    },
  },
  {
    name: 'an issued certificate, and the request for it',
    object: {
      metadata,
      spec: { request: base64('-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n') },
      status: { certificate: base64(pem.repeat(4)) },
    },
    expected: {
      metadata: shown,
      spec: { request: base64('-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n') },
      status: { certificate: '<certificate>' },
    },
  },
  {
    name: 'a reference with a version',
    object: { metadata, status: { active: [{ name: 'tick-29384710', resourceVersion: '77' }] } },
    expected: { metadata: shown, status: { active: [{ name: 'tick-<minutes:29384710>', resourceVersion: '<rv>' }] } },
  },
])('Normal form of $name', ({ resource = '', object, expected }) => {
  expect(normalForm(object, new Masks('uabc123'), resource)).toEqual(expected);
});
