import { expect, test } from 'vitest';
import { podResourceMetrics } from './pod-resource-metrics.ts';
import { pod, type TestPod } from './testing/objects.ts';

async function pageOf(pods: readonly TestPod[], shows?: (name: string) => boolean): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of podResourceMetrics(pods.map(pod), shows)) pieces.push(piece);
  return pieces.join('').split('\n');
}

/** Of one pod `default/p` of priority 0: `request cpu cores 2`. */
async function linesOf(of: TestPod): Promise<string[]> {
  const line = /^kube_pod_resource_(\w+)\{.*resource="([^"]*)".*unit="([^"]*)"\} (.*)$/;
  return (await pageOf([of])).flatMap((text) => line.exec(text)?.slice(1).join(' ') ?? []);
}

const container = (name: string, requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name,
  image: 'i',
  resources: { requests, limits },
});

test('The page of what pods ask for has the names, the labels and the order of kube-scheduler', async () => {
  const spec = { containers: [container('a', { cpu: '500m' }, { memory: '1Gi' })], schedulerName: 'mine' };
  const lines = await pageOf([{ name: 'web', namespace: 'shop', node: 'node-1', priority: 7, spec }]);
  const labels = (resource: string, unit: string): string =>
    `namespace="shop",node="node-1",pod="web",priority="7",resource="${resource}",scheduler="mine",unit="${unit}"`;
  expect(lines.map((line) => line.replace(/^(# HELP \S+ \[STABLE\]).*/, '$1'))).toEqual([
    '# HELP kube_pod_resource_limit [STABLE]',
    '# TYPE kube_pod_resource_limit gauge',
    `kube_pod_resource_limit{${labels('memory', 'bytes')}} 1073741824`,
    '# HELP kube_pod_resource_request [STABLE]',
    '# TYPE kube_pod_resource_request gauge',
    `kube_pod_resource_request{${labels('cpu', 'cores')}} 0.5`,
    '',
  ]);
});

test.each<{ name: string; of: TestPod; lines: string[] }>([
  {
    name: 'the sums of its containers',
    of: { spec: { containers: [container('a', { cpu: '1' }), container('b', { cpu: '250m' })] } },
    lines: ['request cpu cores 1.25'],
  },
  {
    name: 'an init container that asks for more than all others together',
    of: {
      spec: {
        initContainers: [container('init', { cpu: '2', memory: '1' })],
        containers: [container('a', { cpu: '1', memory: '4' })],
      },
    },
    lines: ['request cpu cores 2', 'request memory bytes 4'],
  },
  {
    name: 'a sidecar together with the containers',
    of: {
      spec: {
        initContainers: [{ ...container('side', { cpu: '2' }), restartPolicy: 'Always' }],
        containers: [container('a', { cpu: '1' })],
      },
    },
    lines: ['request cpu cores 3'],
  },
  {
    name: 'overhead in requests, and in the limits that there are',
    of: { spec: { overhead: { cpu: '1', memory: '8' }, containers: [container('a', { cpu: '1' }, { cpu: '2' })] } },
    lines: ['limit cpu cores 3', 'request cpu cores 2', 'request memory bytes 8'],
  },
  {
    name: 'the units of resources, and none for extended ones',
    of: {
      requests: {
        'ephemeral-storage': '1Ki',
        'hugepages-2Mi': '2Mi',
        'attachable-volumes-csi': '3',
        'example.com/gpu': '4',
        storage: '5',
      },
    },
    lines: [
      'request attachable-volumes-csi integer 3',
      'request ephemeral-storage bytes 1024',
      'request example.com/gpu  4',
      'request hugepages-2Mi bytes 2097152',
      'request storage bytes 5',
    ],
  },
  {
    name: 'nothing for an amount of zero',
    of: { requests: { cpu: '0', memory: '1' } },
    lines: ['request memory bytes 1'],
  },
  {
    name: 'nothing of a pod that succeeded',
    of: { requests: { cpu: '1' }, status: { phase: 'Succeeded' } },
    lines: [],
  },
  { name: 'nothing of a pod that failed', of: { requests: { cpu: '1' }, status: { phase: 'Failed' } }, lines: [] },
  { name: 'a pod without a node', of: { requests: { cpu: '1' } }, lines: ['request cpu cores 1'] },
])('The page of what pods ask for shows $name', async ({ of, lines }) => {
  expect(await linesOf(of)).toEqual(lines);
});

test('The page of what pods ask for is made piece by piece', async () => {
  const pods = Array.from({ length: 250 }, (_, i) => pod({ name: `p-${i}`, requests: { cpu: '1' } }));
  const pieces: string[] = [];
  for await (const piece of podResourceMetrics(pods)) pieces.push(piece);
  expect(pieces).toHaveLength(6);
  expect(pieces.join('').match(/^kube_pod_resource_request\{/gm)).toHaveLength(250);
});

test('A metric that --disabled-metrics names is left out of the page of what pods ask for', async () => {
  const lines = await pageOf([{ requests: { cpu: '1' } }], (name) => name !== 'kube_pod_resource_request');
  expect(lines.join('\n')).not.toContain('kube_pod_resource_request');
});

test('The value of a label on the page of what pods ask for is escaped', async () => {
  const lines = await pageOf([{ requests: { cpu: '1' }, spec: { schedulerName: 'a"b\\c\nd' } }]);
  expect(lines.join('\n')).toContain('scheduler="a\\"b\\\\c\\nd"');
});
