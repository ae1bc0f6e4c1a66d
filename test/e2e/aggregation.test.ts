/**
 * An aggregated API with the kubectl that people have: one `orch up` is the cluster, another the server behind an
 * APIService.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServing } from '../../src/pki/pki.ts';
import { OrchProcess, buildOrch, kubectl } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: readings.metrics.example.com}
spec:
  group: metrics.example.com
  scope: Namespaced
  names: {plural: readings, singular: reading, kind: Reading, shortNames: [rd]}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {value: {type: integer, description: What was read.}}}}
    additionalPrinterColumns: [{name: Value, type: integer, jsonPath: .value}]
`;

const registration = (port: number, caBundle: string): string => `
apiVersion: v1
kind: Service
metadata: {name: metrics, namespace: default}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.metrics.example.com}
spec:
  group: metrics.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  service: {name: metrics, namespace: default, port: ${port}}
  caBundle: ${caBundle}
`;

const reading = `
apiVersion: metrics.example.com/v1
kind: Reading
metadata: {name: first}
value: 21
`;

let directory: string;
let cluster: OrchProcess;
let behind: OrchProcess;
const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(directory, name), text);
  return join(directory, name);
};
const kubeconfigOf = (name: string): string => join(directory, name, 'admin.kubeconfig');

beforeAll(async () => {
  buildOrch();
  directory = await mkdtemp(join(tmpdir(), 'orch-e2e-'));
  const [port, portBehind] = (await freePorts(2)) as [number, number];
  cluster = OrchProcess.up(join(directory, 'cluster'), port);
  await cluster.says('Ready');
  const pki = (name: string): string => join(directory, 'cluster', 'pki', name);
  const ca = { certificate: await readFile(pki('ca.crt'), 'utf8'), key: await readFile(pki('ca.key'), 'utf8') };
  const serving = createServing(ca, { dnsNames: ['metrics.default.svc'], ipAddresses: ['127.0.0.1'] }, new Date());
  behind = OrchProcess.up(
    join(directory, 'behind'),
    portBehind,
    '--tls-cert-file',
    await file('serving.crt', serving.certificate + ca.certificate),
    '--tls-private-key-file',
    await file('serving.key', serving.key),
    '--requestheader-client-ca-file',
    pki('front-proxy-ca.crt'),
    '--requestheader-allowed-names',
    'front-proxy-client',
    '--requestheader-username-headers',
    'X-Remote-User',
    '--requestheader-group-headers',
    'X-Remote-Group',
    '--requestheader-extra-headers-prefix',
    'X-Remote-Extra-',
  );
  await behind.says('Ready');
  await kubectl('1.32', kubeconfigOf('behind'), 'apply', '-f', await file('definition.yaml', definition));
  await kubectl(
    '1.32',
    kubeconfigOf('behind'),
    'wait',
    '--for=condition=Established',
    'crd/readings.metrics.example.com',
  );
  await kubectl(
    '1.32',
    kubeconfigOf('cluster'),
    'apply',
    '-f',
    await file('registration.yaml', registration(portBehind, Buffer.from(ca.certificate).toString('base64'))),
  );
  await kubectl(
    '1.32',
    kubeconfigOf('cluster'),
    'wait',
    '--for=condition=Available',
    '--timeout=60s',
    'apiservice/v1.metrics.example.com',
  );
});
afterAll(async () => {
  await behind[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

test.each(['1.20', '1.32'] as const)(
  'kubectl %s works with the resources of the server behind as with its own',
  async (version) => {
    const run = (...args: string[]): Promise<string> =>
      kubectl(version, kubeconfigOf('cluster'), '--cache-dir', join(directory, `cache-${version}`), ...args);
    expect(await run('get', 'apiservice', 'v1.metrics.example.com')).toMatch(
      /^NAME +SERVICE +AVAILABLE +AGE\nv1\.metrics\.example\.com +default\/metrics +True/,
    );
    await expect
      .poll(() => run('api-resources', '--api-group=metrics.example.com', '--no-headers'), { timeout: 30_000 })
      .toMatch(/^readings +rd +metrics\.example\.com\/v1 +true +Reading/);
    await run('apply', '-f', await file('reading.yaml', reading));
    expect(await run('get', 'rd', '--no-headers')).toMatch(/^first +21\s/);
    // It watches until it is so; the older one can only wait for conditions.
    if (version === '1.32')
      expect(await run('wait', '--for=jsonpath={.value}=21', 'reading/first')).toContain('condition met');
    await run('delete', 'reading', 'first');
    expect(await kubectl(version, kubeconfigOf('behind'), 'get', 'readings', '-o', 'name')).toBe('');
  },
);

test('kubectl explain reads the schema from the server behind', async () => {
  await expect
    .poll(
      () => kubectl('1.32', kubeconfigOf('cluster'), 'explain', 'reading.value').catch((error: Error) => error.message),
      { timeout: 30_000 },
    )
    .toContain('What was read.');
});
