import type { JsonObject } from '../src/machinery/value.ts';

/** How many values the label `app` has, evenly spread. */
export const apps = 20;

export const podName = (i: number): string => `pod-${String(i).padStart(7, '0')}`;

/**
 * A pod as a client would create it: two containers with environment, ports and resources, about 2.5 kB of JSON once
 * its defaults are filled in.
 */
export function benchPod(i: number): JsonObject {
  return {
    metadata: {
      name: podName(i),
      labels: { app: `app-${i % apps}`, part: 'backend', number: String(i) },
      annotations: {
        'bench.example/owner': 'the team of the load driver',
        'bench.example/note': 'some text of the usual length',
      },
    },
    spec: {
      nodeName: `node-${i % 50}`,
      containers: [container('main', 'web', 8080, i), container('helper', 'metrics', 9090, i)],
    },
  };
}

function container(name: string, portName: string, containerPort: number, i: number): JsonObject {
  return {
    name,
    image: `images.example/${name}:v1.4.2`,
    command: [`/usr/bin/${name}`, '--level=info'],
    env: Array.from({ length: 10 }, (_, n) => ({ name: `SETTING_${n}`, value: `value ${n} of ${i}` })),
    ports: [{ name: portName, containerPort, protocol: 'TCP' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
  };
}
