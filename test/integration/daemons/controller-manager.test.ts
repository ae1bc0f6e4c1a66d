/** What flags of the controller manager do that lie in its process: identities, locks of a migration, certificates. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createAuthority,
  createFrontProxyClient,
  createSelfSigned,
  frontProxyCaSubject,
} from '../../../src/pki/pki.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { askDaemon } from '../../support/ask-daemon.ts';
import { buildOrch, OrchProcess } from '../../support/orch-process.ts';
import { freePorts } from '../../support/ports.ts';
import { tokenKubeconfig } from '../../support/token-kubeconfig.ts';

let api: ApiUsers;
let admin: string;
let folder: string;

const rbac = '/apis/rbac.authorization.k8s.io/v1';

beforeAll(async () => {
  buildOrch();
  folder = await mkdtemp(path.join(tmpdir(), 'orch-daemons-'));
  api = await startApiUsers(
    {
      manager: [],
      mona: ['monitors'],
      'system:kube-controller-manager': [],
      'system:kube-scheduler': [],
    },
    ['--authorization-mode=RBAC'],
  );
  admin = await tokenKubeconfig(api, 'admin');
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function start(...flags: string[]): Promise<{ daemon: OrchProcess; port: number }> {
  const [port] = await freePorts(1);
  const daemon = new OrchProcess([
    'controller-manager',
    `--kubeconfig=${admin}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    ...flags,
  ]);
  await daemon.warns('serving');
  return { daemon, port: port! };
}

const grant = async (name: string, subject: object, rules: object[]): Promise<void> => {
  await api.create(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await api.create(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', ...subject }],
  });
};

const replicaSet = (name: string): object => ({
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const replicaSets = '/apis/apps/v1/namespaces/default/replicasets';
const podsOf = (name: string): string => `/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`;

describe('the users and roles that every cluster has', () => {
  test.each(['kube-controller-manager', 'kube-scheduler'])('Suffice in the place of %s', async (program) => {
    const kubeconfig = await tokenKubeconfig(api, `system:${program}`, program);
    const [port] = await freePorts(1);
    await using daemon = new OrchProcess([
      program,
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--authentication-tolerate-lookup-failure=false',
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      ...(program === 'kube-scheduler' ? [] : ['--use-service-account-credentials']),
    ]);
    await daemon.warns(`leading lock=kube-system/${program}`);
    expect((await askDaemon(port!, '/metrics', { token: 'token-admin' })).status).toBe(200);
    if (program === 'kube-scheduler') return;
    await api.create(replicaSets, replicaSet('by-roles'));
    await api.until('admin', 'GET', podsOf('by-roles'), ({ body }) => body.items.length === 2);
  });
});

describe('--use-service-account-credentials', () => {
  beforeAll(() =>
    // It may read, ask for tokens, and nothing else: what is written is written by the accounts.
    grant('reader-and-tokens', { kind: 'User', name: 'manager' }, [
      { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['serviceaccounts', 'serviceaccounts/token'], verbs: ['create'] },
    ]),
  );

  test('Controllers write with the rights of their accounts, whatever the process may do', async () => {
    const manager = await tokenKubeconfig(api, 'manager');
    const { daemon } = await start(`--kubeconfig=${manager}`, '--use-service-account-credentials');
    await using _ = daemon;
    await api.create(replicaSets, replicaSet('by-accounts'));
    await api.until('admin', 'GET', podsOf('by-accounts'), ({ body }) => body.items.length === 2);
    const { status } = await api.call(
      'admin',
      'GET',
      '/api/v1/namespaces/kube-system/serviceaccounts/replicaset-controller',
    );
    expect(status).toBe(200);
  });

  test('Without --use-service-account-credentials controllers have the rights of the process', async () => {
    const manager = await tokenKubeconfig(api, 'manager');
    const { daemon } = await start(`--kubeconfig=${manager}`);
    await using _ = daemon;
    await api.create(replicaSets, replicaSet('by-process'));
    await daemon.warns('cannot create resource');
    const { body } = await api.call('admin', 'GET', podsOf('by-process'));
    expect(body.items).toEqual([]);
  });
});

describe('--leader-migration-config', () => {
  const migration = async (name: string, component: string): Promise<string> => {
    const file = path.join(folder, `${name}.yaml`);
    await writeFile(
      file,
      `apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: ${name}
controllerLeaders:
- name: replicaset-controller
  component: ${component}
`,
    );
    return file;
  };
  const checks = async (port: number): Promise<string> => (await askDaemon(port, '/healthz?verbose')).text;
  const holder = async (name: string): Promise<string | undefined> =>
    (await api.call('admin', 'GET', `/apis/coordination.k8s.io/v1/namespaces/orch-system/leases/${name}`)).body.spec
      ?.holderIdentity as string | undefined;

  test('A controller that this component has is run under the lock of the migration', async () => {
    const { daemon, port } = await start(
      '--leader-elect',
      '--enable-leader-migration',
      `--leader-migration-config=${await migration('taken', 'kube-controller-manager')}`,
    );
    await using _ = daemon;
    await expect.poll(() => checks(port), { timeout: 10_000 }).toContain('[+]replicaset-controller ok');
    expect(await holder('taken')).toBe(await holder('controller-manager'));
    expect((await daemon.kill('SIGTERM')).code).toBe(0);
    expect([await holder('taken'), await holder('controller-manager')]).toEqual(['', '']);
  });

  test('A controller that another component has is not run', async () => {
    const { daemon, port } = await start(
      '--leader-elect',
      '--enable-leader-migration',
      `--leader-migration-config=${await migration('given', 'cloud-controller-manager')}`,
    );
    await using _ = daemon;
    await expect.poll(() => holder('given'), { timeout: 10_000 }).toBeDefined();
    await expect.poll(() => checks(port), { timeout: 10_000 }).toContain('[+]deployment-controller ok');
    expect(await checks(port)).not.toContain('replicaset-controller');
  });
});

describe('callers that a front proxy names', () => {
  const now = new Date();
  const ca = createAuthority(frontProxyCaSubject, now);
  const pair = createFrontProxyClient(ca, now);
  const certificate = { cert: pair.certificate, key: pair.key };
  let daemon: OrchProcess;
  let port: number;

  beforeAll(async () => {
    await grant('metrics', { kind: 'Group', name: 'monitors' }, [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]);
    const file = path.join(folder, 'front-proxy-ca.crt');
    await writeFile(file, ca.certificate);
    ({ daemon, port } = await start(
      `--requestheader-client-ca-file=${file}`,
      '--requestheader-allowed-names=front-proxy-client',
      `--authorization-kubeconfig=${admin}`,
    ));
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  const headers = { 'x-remote-user': 'mona', 'x-remote-group': 'monitors' };
  test.each([
    { name: 'are believed with the certificate of the proxy', asked: { certificate, headers }, status: 200 },
    { name: 'are not believed without it', asked: { headers }, status: 403 },
    { name: 'need a name', asked: { certificate, headers: { 'x-remote-group': 'monitors' } }, status: 403 },
  ])('Callers that a front proxy names: $name', async ({ asked, status }) => {
    expect((await askDaemon(port, '/metrics', asked)).status).toBe(status);
  });

  test('Callers that a front proxy names are not believed with a certificate of another authority', async () => {
    const other = createAuthority(frontProxyCaSubject, now);
    const wrong = createFrontProxyClient(other, now);
    const asked = { certificate: { cert: wrong.certificate, key: wrong.key }, headers };
    expect((await askDaemon(port, '/metrics', asked)).status).toBe(401);
  });
});

describe('the certificate that is shown', () => {
  test('The certificate that is shown is new at each start, and nowhere on disk', async () => {
    const { daemon, port } = await start();
    await using _ = daemon;
    expect((await askDaemon(port, '/healthz')).shownBy).toBe('kube-controller-manager');
  });

  test('The certificate that is shown is kept in --cert-dir', async () => {
    const directory = path.join(folder, 'certificates');
    const { daemon, port } = await start(`--cert-dir=${directory}`);
    await using _ = daemon;
    expect((await askDaemon(port, '/healthz')).status).toBe(200);
    expect((await readdir(directory)).sort()).toEqual(['kube-controller-manager.crt', 'kube-controller-manager.key']);
  });

  test('The certificate that is shown is that of the files, also after they were replaced', async () => {
    const files = { certificate: path.join(folder, 'tls.crt'), key: path.join(folder, 'tls.key') };
    const put = async (name: string): Promise<void> => {
      const { certificate, key } = createSelfSigned(name, { dnsNames: [name], ipAddresses: [] }, new Date());
      await writeFile(files.certificate, certificate);
      await writeFile(files.key, key);
    };
    await put('one');
    const { daemon, port } = await start(`--tls-cert-file=${files.certificate}`, `--tls-private-key-file=${files.key}`);
    await using _ = daemon;
    expect((await askDaemon(port, '/healthz')).shownBy).toBe('one');
    await put('two');
    await expect.poll(async () => (await askDaemon(port, '/healthz')).shownBy, { timeout: 20_000 }).toBe('two');
  });
});

test('--controllers: those that are asked for are run, by name, alias and star', async () => {
  const { daemon, port } = await start(
    '--controllers=*,-deployment,bootstrapsigner',
    '--controllers=-replicaset-controller',
    '--authorization-always-allow-paths=*',
  );
  await using _ = daemon;
  const { text } = await askDaemon(port, '/healthz?verbose');
  expect(text).toContain('replicationcontroller-controller ok');
  expect(text).not.toMatch(/(deployment|replicaset)-controller/);
  const configured = JSON.parse((await askDaemon(port, '/configz')).text) as Record<
    string,
    { generic: { controllers: string[] } }
  >;
  expect(configured['kubecontrollermanager.config.k8s.io']!.generic.controllers).toEqual([
    '*',
    '-deployment',
    'bootstrapsigner',
    '-replicaset-controller',
  ]);
});
