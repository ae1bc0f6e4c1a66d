/** Objects that both servers take: what kube-apiserver 1.20 has, each with something of everything. */
import type { ApiObject } from '../../support/api-client.ts';

export interface ExchangedKind {
  readonly kind: string;
  readonly collection: string;
  make(name: string): ApiObject;
  /** A merge patch that changes something that shows. */
  readonly patch: object;
  /** The change in the object. */
  changed(object: ApiObject): unknown;
}

const labels = { app: 'web', 'example.com/tier': 'front' };
const annotations = { note: 'ünïcode <b>&"quoted"</b> \u2028 😀', empty: '' };
const meta = (name: string, namespace?: string): object => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations },
});
const podSpec = {
  containers: [
    {
      name: 'app',
      image: 'registry.example/app:v1',
      command: ['/app'],
      args: ['--x=1'],
      ports: [{ containerPort: 8080, name: 'http' }],
      env: [
        { name: 'A', value: 'b' },
        { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      resources: { requests: { cpu: '0.5', memory: '1024Mi' }, limits: { cpu: '1500m', memory: '2Gi' } },
      readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
      livenessProbe: { tcpSocket: { port: 8080 } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    },
  ],
  initContainers: [{ name: 'init', image: 'busybox' }],
  volumes: [
    { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'config', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
  ],
  tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9007199254740993 }],
  nodeSelector: { disk: 'ssd' },
  securityContext: { runAsUser: 1000, fsGroup: 2000 },
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } } },
      ],
    },
  },
};
/** Beyond 2^53, which JSON.stringify of a number would lose. */
const exactly = (object: object): ApiObject => JSON.parse(JSON.stringify(object)) as ApiObject;

const at = (object: ApiObject, ...path: string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);

export const kinds: readonly ExchangedKind[] = [
  {
    kind: 'Pod',
    collection: '/api/v1/namespaces/default/pods',
    make: (name) => exactly({ ...meta(name), spec: podSpec }),
    patch: { metadata: { labels: { changed: 'yes' } } },
    changed: (object) => at(object, 'metadata', 'labels', 'changed'),
  },
  {
    kind: 'Deployment',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    make: (name) =>
      exactly({
        ...meta(name),
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'web' } },
          strategy: { rollingUpdate: { maxSurge: '30%', maxUnavailable: 0 } },
          template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
        },
      }),
    patch: { spec: { replicas: 7 } },
    changed: (object) => at(object, 'spec', 'replicas'),
  },
  {
    kind: 'Service',
    collection: '/api/v1/namespaces/default/services',
    make: (name) =>
      exactly({
        ...meta(name),
        spec: {
          type: 'NodePort',
          selector: { app: 'web' },
          ports: [
            { name: 'http', port: 80, targetPort: 'http' },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
        },
      }),
    patch: { spec: { sessionAffinity: 'ClientIP' } },
    changed: (object) => at(object, 'spec', 'sessionAffinity'),
  },
  {
    kind: 'ConfigMap',
    collection: '/api/v1/namespaces/default/configmaps',
    make: (name) =>
      exactly({
        ...meta(name),
        data: { a: 'b', 'x.y': annotations.note, long: 'z'.repeat(5000) },
        binaryData: { bin: 'AAEC/w==' },
      }),
    patch: { data: { a: null, c: 'd' } },
    changed: (object) => at(object, 'data', 'c'),
  },
  {
    kind: 'Secret',
    collection: '/api/v1/namespaces/default/secrets',
    make: (name) => exactly({ ...meta(name), type: 'Opaque', data: { password: 'cGFzc3dvcmQ=', empty: '' } }),
    patch: { stringData: { user: 'x' } },
    changed: (object) => at(object, 'data', 'user'),
  },
  {
    kind: 'Namespace',
    collection: '/api/v1/namespaces',
    make: (name) => exactly(meta(name)),
    patch: { metadata: { annotations: { changed: 'yes' } } },
    changed: (object) => at(object, 'metadata', 'annotations', 'changed'),
  },
  {
    kind: 'Role',
    collection: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
    make: (name) =>
      exactly({
        ...meta(name),
        rules: [
          {
            apiGroups: ['', 'apps'],
            resources: ['pods', 'deployments/scale'],
            verbs: ['get', '*'],
            resourceNames: ['a'],
          },
        ],
      }),
    patch: { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }] },
    changed: (object) => at(object, 'rules', '0', 'resources', '0'),
  },
  {
    kind: 'CustomResourceDefinition',
    collection: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    make: (name) =>
      exactly({
        ...meta(`${name}s.example.com`),
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: {
            plural: `${name}s`,
            singular: name,
            kind: `Kind${name}`,
            listKind: `Kind${name}List`,
            shortNames: [`x${name}`],
          },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
              additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }],
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      properties: {
                        n: { type: 'integer', default: 5, minimum: 0 },
                        any: { 'x-kubernetes-preserve-unknown-fields': true },
                        list: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
                      },
                    },
                    status: { type: 'object', properties: { n: { type: 'integer' } } },
                  },
                },
              },
            },
          ],
        },
      }),
    patch: { metadata: { labels: { changed: 'yes' } } },
    changed: (object) => at(object, 'metadata', 'labels', 'changed'),
  },
];
