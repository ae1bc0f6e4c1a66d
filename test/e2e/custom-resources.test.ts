/** Custom resources with the kubectl that people have. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OrchProcess, buildOrch, kubectl as run } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: What is to run, and when.
            required: [cronSpec]
            properties:
              cronSpec:
                type: string
                pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$'
                description: The schedule.
              image: {type: string, default: busybox}
              replicas: {type: integer, minimum: 0, maximum: 9, default: 1}
          status:
            type: object
            properties: {replicas: {type: integer}, labelSelector: {type: string}}
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
        labelSelectorPath: .status.labelSelector
    additionalPrinterColumns:
    - {name: Spec, type: string, jsonPath: .spec.cronSpec}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
`;

const object = (name: string, spec: string): string => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: ${name}}
spec: ${spec}
`;

let directory: string;
let orch: OrchProcess;
let kubeconfig: string;
beforeAll(async () => {
  buildOrch();
  directory = await mkdtemp(join(tmpdir(), 'orch-e2e-'));
  const [port] = await freePorts(1);
  orch = OrchProcess.up(join(directory, 'data'), port);
  await orch.says('Ready');
  kubeconfig = join(directory, 'data', 'admin.kubeconfig');
});
afterAll(async () => {
  await orch[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const kubectl = (...args: string[]): Promise<string> => run('1.32', kubeconfig, ...args);

async function apply(text: string, ...flags: string[]): Promise<string> {
  const file = join(directory, 'manifest.yaml');
  await writeFile(file, text);
  return kubectl('apply', '-f', file, ...flags);
}

test('A definition and its objects, from the first apply to the last delete', async () => {
  expect(await apply(definition)).toBe(
    'customresourcedefinition.apiextensions.k8s.io/crontabs.stable.example.com created\n',
  );
  expect(
    await kubectl('wait', '--for=condition=established', '--timeout=30s', 'crd/crontabs.stable.example.com'),
  ).toContain('condition met');

  expect(await apply(object('one', '{cronSpec: "* * * * */5"}'))).toBe('crontab.stable.example.com/one created\n');
  expect(await kubectl('get', 'ct')).toMatch(/^NAME +SPEC +REPLICAS\none +\* \* \* \* \*\/5 +1\n$/);
  expect(await kubectl('get', 'all', '-o', 'name')).toContain('crontab.stable.example.com/one');
  expect(await kubectl('get', 'ct', 'one', '-o', 'jsonpath={.spec.image}')).toBe('busybox');
  expect(await kubectl('explain', 'crontab.spec.cronSpec')).toContain('The schedule.');
  expect(await kubectl('explain', 'crontab', '--recursive')).toContain('ObjectMeta');
  expect(await kubectl('api-resources', '--api-group=stable.example.com')).toMatch(
    /crontabs +ct +stable\.example\.com\/v1 +true +CronTab/,
  );

  await expect(apply(object('bad', '{cronSpec: "never"}'))).rejects.toThrow('spec.cronSpec in body should match');
  await expect(apply(object('bad', '{cronSpec: "* * * * *", odd: 1}'))).rejects.toThrow('unknown field "spec.odd"');
  expect(await apply(object('one', '{cronSpec: "0 * * * *"}'))).toBe('crontab.stable.example.com/one configured\n');
  expect(await apply(object('one', '{cronSpec: "0 * * * *"}'))).toBe('crontab.stable.example.com/one unchanged\n');
  expect(await apply(object('two', '{cronSpec: "1 * * * *"}'), '--server-side')).toBe(
    'crontab.stable.example.com/two serverside-applied\n',
  );

  await kubectl('patch', 'ct', 'one', '--type=merge', '-p', '{"spec":{"replicas":3}}');
  await kubectl(
    'patch',
    'ct',
    'one',
    '--subresource=status',
    '--type=merge',
    '-p',
    '{"status":{"replicas":3,"labelSelector":"app=one"}}',
  );
  expect(await kubectl('scale', 'ct/one', '--replicas=5')).toContain('scaled');
  expect(
    await kubectl('get', 'ct', 'one', '-o', 'jsonpath={.spec.replicas} {.status.replicas} {.metadata.generation}'),
  ).toBe('5 3 4');
  expect(
    await kubectl('get', 'ct', 'one', '--subresource=scale', '-o', 'jsonpath={.spec.replicas} {.status.selector}'),
  ).toBe('5 app=one');
  await kubectl('label', 'ct', '--all', 'colour=blue');
  expect(await kubectl('get', 'ct', '-l', 'colour=blue', '-o', 'name')).toBe(
    'crontab.stable.example.com/one\ncrontab.stable.example.com/two\n',
  );

  expect(await kubectl('delete', 'ct', 'two')).toContain('deleted');
  expect(await kubectl('delete', 'crd', 'crontabs.stable.example.com', '--timeout=30s')).toContain('deleted');
  await expect(kubectl('get', 'ct')).rejects.toThrow('could not find the requested resource');
  expect(orch.errors).toBe('');
});

test('A custom kind with the plural of a built-in one is explained by its short name', async () => {
  const services = definition
    .replaceAll('stable.example.com', 'services.example.com')
    .replace('name: crontabs.', 'name: services.')
    .replace(/names: .*/, 'names: {plural: services, singular: service, kind: Service, shortNames: [own-svc]}');
  await apply(services);
  await kubectl('wait', '--for=condition=established', '--timeout=30s', 'crd/services.services.example.com');
  // kubectl looks for short names in what it has cached of discovery; this reads it anew.
  expect(await kubectl('api-resources')).toMatch(/services +own-svc +services\.example\.com\/v1/);
  expect(await kubectl('explain', 'own-svc.spec')).toContain('What is to run, and when.');
  expect(await kubectl('explain', 'own-svc')).toMatch(
    /GROUP: +services\.example\.com[^]*APIVersion defines[^]*Kind is/,
  );
  expect(await kubectl('explain', 'services.spec')).toContain('clusterIP\t');
  await kubectl('delete', 'crd', 'services.services.example.com');
});

test('An old kubectl validates and explains by version 2 of OpenAPI', async () => {
  const old = (...args: string[]): Promise<string> => run('1.20', kubeconfig, ...args);
  const file = join(directory, 'old.yaml');
  await writeFile(file, definition.replaceAll('stable.example.com', 'old.example.com'));
  await old('apply', '-f', file);
  await old('wait', '--for=condition=established', '--timeout=30s', 'crd/crontabs.old.example.com');
  expect(await old('explain', 'crontabs.spec.cronSpec', '--api-version=old.example.com/v1')).toContain('The schedule.');
  await writeFile(file, object('bad', '{image: x}').replace('stable.example.com', 'old.example.com'));
  await expect(old('apply', '-f', file)).rejects.toThrow('missing required field "cronSpec"');
  await writeFile(file, object('good', '{cronSpec: "* * * * *"}').replace('stable.example.com', 'old.example.com'));
  expect(await old('apply', '-f', file)).toBe('crontab.old.example.com/good created\n');
  expect(await old('get', 'crontabs.old.example.com')).toMatch(/good +\* \* \* \* \* +1/);
  expect(await old('delete', '-f', file)).toContain('deleted');
  expect(await old('delete', 'crd', 'crontabs.old.example.com')).toContain('deleted');
});
