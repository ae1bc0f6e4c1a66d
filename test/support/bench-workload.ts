/** A custom resource of about 2.5 kB, its schema, and rules as people write them. */
import type { OpenApiSchema } from '../../src/cel/schema/schema-type.ts';

const text: OpenApiSchema = { type: 'string', maxLength: 253 };
const integer: OpenApiSchema = { type: 'integer' };
const texts: OpenApiSchema = { type: 'object', additionalProperties: text, maxProperties: 64 };
const list = (items: OpenApiSchema): OpenApiSchema => ({ type: 'array', items, maxItems: 32 });
const object = (properties: Record<string, OpenApiSchema>): OpenApiSchema => ({ type: 'object', properties });

const container = object({
  name: text,
  image: text,
  command: list(text),
  env: list(object({ name: text, value: text })),
  ports: list(object({ name: text, containerPort: integer, protocol: text })),
  resources: object({ limits: texts, requests: texts }),
});

export const benchSchema: OpenApiSchema = object({
  spec: object({
    minReplicas: integer,
    replicas: integer,
    maxReplicas: integer,
    strategy: text,
    selector: texts,
    containers: list(container),
  }),
});

export const benchRules = [
  'self.spec.minReplicas <= self.spec.replicas && self.spec.replicas <= self.spec.maxReplicas',
  'self.spec.containers.all(c, c.image.startsWith("registry.example.com/") && c.ports.all(p, p.containerPort >= 1024))',
  'has(self.spec.strategy) ? self.spec.strategy in ["Rolling", "Recreate"] : size(self.spec.containers) == 1',
];

const containerNamed = (name: string): object => ({
  name,
  image: `registry.example.com/team/${name}:v1.2.3`,
  command: ['/bin/server', '--port=8080', '--log-level=info'],
  env: Array.from({ length: 6 }, (_, i) => ({ name: `SETTING_${i}`, value: `value of setting number ${i}` })),
  ports: [
    { name: 'http', containerPort: 8080, protocol: 'TCP' },
    { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
  ],
  resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '250m', memory: '128Mi' } },
});

export const benchObject = {
  apiVersion: 'example.com/v1',
  kind: 'Workload',
  metadata: {
    name: 'web-frontend',
    namespace: 'production',
    uid: '7f3c2a9e-5f2e-4a53-9d0e-0a4b3f1f9e11',
    generation: 7,
    creationTimestamp: '2024-05-01T10:00:00Z',
    labels: {
      'app.kubernetes.io/name': 'web-frontend',
      'app.kubernetes.io/part-of': 'shop',
      'app.kubernetes.io/version': '1.2.3',
    },
    annotations: { 'example.com/owner': 'team-web', 'example.com/description': 'serves the pages of the shop' },
  },
  spec: {
    minReplicas: 2,
    replicas: 3,
    maxReplicas: 10,
    strategy: 'Rolling',
    selector: { app: 'web-frontend' },
    containers: ['web', 'proxy', 'agent'].map(containerNamed),
  },
};
