import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';
import { createMap, RawJson } from '../../src/machinery/value.ts';

const map = (entries: Record<string, string>): JsonObject => Object.assign(createMap<JsonValue>(), entries);

const fieldSet = JSON.stringify({
  'f:metadata': {
    'f:annotations': { '.': {}, 'f:example.com/a': {}, 'f:example.com/b': {} },
    'f:labels': { '.': {}, 'f:app': {}, 'f:idx': {}, 'f:tier': {} },
  },
  'f:spec': {
    'f:containers': {
      'k:{"name":"app"}': {
        '.': {},
        'f:command': {},
        'f:env': {
          '.': {},
          ...Object.fromEntries(
            Array.from({ length: 10 }, (_, k) => [`k:{"name":"KEY_${k}"}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
          ),
        },
        'f:image': {},
        'f:imagePullPolicy': {},
        'f:name': {},
      },
    },
  },
});

const container = (name: string, i: number): JsonObject => ({
  name,
  image: 'registry.example/app:v1.2.3',
  command: ['/bin/app', '--flag=value'],
  env: Array.from({ length: 10 }, (_, k) => ({ name: `KEY_${k}`, value: `value-${i}-${k}` })),
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  resources: { requests: map({ cpu: '100m', memory: '128Mi' }), limits: map({ cpu: '500m', memory: '256Mi' }) },
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  volumeMounts: [
    { name: 'kube-api-access-x', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
  ],
});

/** A pod as it is stored, 2.5 kB in protobuf: two containers with ten variables each, one manager. */
export function samplePod(i: number): JsonObject {
  return {
    metadata: {
      name: `pod-${i}`,
      namespace: 'bench',
      uid: '0a1b2c3d-1111-2222-3333-444455556666',
      creationTimestamp: '2024-05-01T10:00:00Z',
      labels: map({ app: `app-${i % 20}`, tier: 'backend', idx: String(i) }),
      annotations: map({ 'example.com/a': 'some annotation value', 'example.com/b': 'another annotation value' }),
      managedFields: [
        {
          manager: 'bench',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2024-05-01T10:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: new RawJson(fieldSet).asValue(),
        },
      ],
    },
    spec: {
      containers: [container('app', i), container('sidecar', i)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `node-${i % 50}`,
      securityContext: {},
      schedulerName: 'default-scheduler',
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: ['not-ready', 'unreachable'].map((taint) => ({
        key: `node.kubernetes.io/${taint}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      volumes: [
        {
          name: 'kube-api-access-x',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
    },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  };
}
