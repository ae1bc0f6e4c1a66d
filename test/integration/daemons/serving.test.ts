/** What the controller manager serves of itself, and to whom. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { type Asked, askDaemon as ask } from '../../support/ask-daemon.ts';
import { buildOrch, OrchProcess } from '../../support/orch-process.ts';
import { freePorts } from '../../support/ports.ts';
import { tokenKubeconfig } from '../../support/token-kubeconfig.ts';

let api: ApiUsers;
let admin: string;

beforeAll(async () => {
  buildOrch();
  api = await startApiUsers({ alice: [], mona: ['monitors'] }, ['--authorization-mode=RBAC']);
  admin = await tokenKubeconfig(api, 'admin');
  await api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'metrics' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  await api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'metrics' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'monitors' }],
  });
});
afterAll(() => api[Symbol.asyncDispose]());

/** As kubeadm's users have it: the administrator's, signed by the authority of clients. */
function adminCertificate(): { cert: string; key: string } {
  const kubeconfig = readFileSync(api.kubeconfigPath, 'utf8');
  const data = (name: string): string =>
    Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)![1]!, 'base64').toString();
  return { cert: data('client-certificate'), key: data('client-key') };
}

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

describe('without kubeconfigs for authentication and authorization', () => {
  test.each<{ name: string; path: string; asked: () => Asked; status: number; says: string }>([
    { name: 'health is served to anyone', path: '/healthz', asked: () => ({}), status: 200, says: 'ok' },
    {
      name: 'all else is forbidden to anonymous callers',
      path: '/metrics',
      asked: () => ({}),
      status: 403,
      says: 'forbidden: User \\"system:anonymous\\" cannot get path \\"/metrics\\"',
    },
    {
      name: 'callers with a token are anonymous',
      path: '/metrics',
      asked: () => ({ token: 'token-admin' }),
      status: 403,
      says: 'system:anonymous',
    },
    {
      name: 'callers with a certificate are anonymous',
      path: '/metrics',
      asked: () => ({ certificate: adminCertificate() }),
      status: 403,
      says: 'system:anonymous',
    },
  ])('Without kubeconfigs for authentication and authorization: $name', async ({ path, asked, status, says }) => {
    const { daemon, port } = await start();
    await using _ = daemon;
    const answer = await ask(port, path, asked());
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(says);
  });

  test('Other paths of a daemon can be served to anyone, also by their beginning', async () => {
    const { daemon, port } = await start('--authorization-always-allow-paths=/metrics,/debug/*');
    await using _ = daemon;
    const statuses = await Promise.all(
      ['/metrics', '/debug/pprof/', '/healthz', '/metrics/slis'].map(async (path) => (await ask(port, path)).status),
    );
    expect(statuses).toEqual([200, 200, 403, 403]);
  });

  test('A path that can be read in two ways is not let in', async () => {
    const { daemon, port } = await start('--authorization-always-allow-paths=/healthz*');
    await using _ = daemon;
    const statuses = await Promise.all(
      ['/healthz/../metrics', '/healthz%2f..%2fmetrics', '//metrics', '/%6detrics'].map(
        async (path) => (await ask(port, path)).status,
      ),
    );
    expect(statuses).toEqual([404, 404, 403, 403]);
  });
});

describe('with kubeconfigs for authentication and authorization', () => {
  let daemon: OrchProcess;
  let port: number;
  beforeAll(async () => {
    ({ daemon, port } = await start(`--authentication-kubeconfig=${admin}`, `--authorization-kubeconfig=${admin}`));
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  test.each<{ name: string; path?: string; asked: () => Asked; status: number; says: string }>([
    { name: 'the administrator by its token', asked: () => ({ token: 'token-admin' }), status: 200, says: 'HELP' },
    {
      name: 'the administrator by its certificate, whose authority the cluster publishes',
      asked: () => ({ certificate: adminCertificate() }),
      status: 200,
      says: 'HELP',
    },
    { name: 'a user with the right', asked: () => ({ token: 'token-mona' }), status: 200, says: 'HELP' },
    {
      name: 'a user with the right for another path',
      path: '/configz',
      asked: () => ({ token: 'token-mona' }),
      status: 403,
      says: 'User \\"mona\\" cannot get path \\"/configz\\"',
    },
    {
      name: 'a user without the right',
      asked: () => ({ token: 'token-alice' }),
      status: 403,
      says: 'User \\"alice\\" cannot get path \\"/metrics\\"',
    },
    {
      name: 'a user with the right, for another method',
      asked: () => ({ token: 'token-mona', method: 'POST' }),
      status: 403,
      says: 'User \\"mona\\" cannot post path \\"/metrics\\"',
    },
    { name: 'a caller with an unknown token', asked: () => ({ token: 'x' }), status: 401, says: 'Unauthorized' },
    {
      name: 'a caller without credentials',
      asked: () => ({}),
      status: 403,
      says: 'User \\"system:anonymous\\" cannot get path \\"/metrics\\"',
    },
    {
      name: 'a caller with an unknown token, for health',
      path: '/healthz',
      asked: () => ({ token: 'x' }),
      status: 401,
      says: 'Unauthorized',
    },
  ])('$name is answered $status', async ({ path = '/metrics', asked, status, says }) => {
    const answer = await ask(port, path, asked());
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(says);
  });

  test.each<{ path: string; status: number; type: RegExp; says: RegExp }>([
    { path: '/healthz', status: 200, type: /^text\/plain/, says: /^ok$/ },
    {
      path: '/healthz?verbose',
      status: 200,
      type: /^text\/plain/,
      says: /\[\+\]ping ok\n\[\+\]leaderElection ok\n(\[\+\][a-z-]+-controller ok\n)+healthz check passed/,
    },
    { path: '/livez?verbose', status: 200, type: /^text\/plain/, says: /\[\+\]leaderElection ok/ },
    { path: '/readyz?verbose', status: 200, type: /^text\/plain/, says: /\[\+\]leaderElection ok/ },
    { path: '/healthz/replicaset-controller', status: 200, type: /^text\/plain/, says: /^ok$/ },
    { path: '/version', status: 200, type: /json/, says: /"gitVersion": "v1\.32/ },
    { path: '/metrics', status: 200, type: /^text\/plain/, says: /rest_client_requests_total\{code="200"/ },
    {
      path: '/metrics',
      status: 200,
      type: /^text\/plain/,
      says: /running_managed_controllers\{manager="kube-controller-manager",name="replicaset-controller"\} 1/,
    },
    { path: '/metrics', status: 200, type: /^text\/plain/, says: /kubernetes_feature_enabled\{name="SchedulerQueue/ },
    { path: '/metrics', status: 200, type: /^text\/plain/, says: /workqueue_depth\{name="replicaset"\}/ },
    { path: '/metrics/slis', status: 200, type: /^text\/plain/, says: /kubernetes_healthcheck/ },
    {
      path: '/configz',
      status: 200,
      type: /json/,
      says: /^\{"kubecontrollermanager\.config\.k8s\.io":\{"generic":\{"controllers":\["\*"\]/,
    },
    { path: '/debug/pprof/', status: 200, type: /html/, says: /go tool pprof/ },
    { path: '/debug/pprof/cmdline', status: 200, type: /^text\/plain/, says: /controller-manager\0--kubeconfig/ },
    { path: '/debug/pprof/nothing', status: 404, type: /^text\/plain/, says: /Unknown profile/ },
    { path: '/debug/pprof/profile?seconds=0', status: 400, type: /^text\/plain/, says: /seconds must be/ },
    { path: '/nothing', status: 404, type: /^text\/plain/, says: /404 page not found/ },
  ])('GET $path is answered $status: $says', async ({ path, status, type, says }) => {
    // Health was asked for once when its metrics are.
    await ask(port, '/healthz', { token: 'token-admin' });
    await expect
      .poll(async () => (await ask(port, path, { token: 'token-admin' })).text, { timeout: 10_000 })
      .toMatch(says);
    const answer = await ask(port, path, { token: 'token-admin' });
    expect(answer.status).toBe(status);
    expect(answer.type).toMatch(type);
  });

  test.each(['profile', 'heap'])('/debug/pprof/%s is a gzipped profile', async (kind) => {
    const answer = await ask(port, `/debug/pprof/${kind}?seconds=0.2`, { token: 'token-admin' });
    expect([answer.status, answer.type]).toEqual([200, 'application/octet-stream']);
    expect(gunzipSync(answer.body).includes(kind === 'heap' ? 'inuse_space' : 'nanoseconds')).toBe(true);
  });

  test('The verbosity of the log is changed by PUT, and by nothing else', async () => {
    const verbosity = (asked: Asked) => ask(port, '/debug/flags/v', { token: 'token-admin', ...asked });
    expect((await verbosity({})).status).toBe(406);
    expect((await verbosity({ method: 'PUT', body: 'loud' })).status).toBe(400);
    expect(daemon.errors).not.toContain('was not authenticated');
    const changed = await verbosity({ method: 'PUT', body: '4' });
    expect([changed.status, changed.text]).toEqual([200, 'successfully set klog.logging.verbosity to 4\n']);
    await ask(port, '/healthz', { token: 'y' });
    await daemon.warns('a request was not authenticated');
  });
});

describe('what flags switch off', () => {
  test('With --profiling=false there are no profiles, and the log keeps its verbosity', async () => {
    const { daemon, port } = await start('--profiling=false', '--authorization-always-allow-paths=*');
    await using _ = daemon;
    const statuses = await Promise.all(
      ['/debug/pprof/', '/debug/pprof/heap', '/debug/flags/v', '/configz'].map(
        async (path) => (await ask(port, path)).status,
      ),
    );
    expect(statuses).toEqual([404, 404, 404, 200]);
  });

  test('With --secure-port=0 nothing is served, and the daemon works', async () => {
    await using daemon = new OrchProcess(['controller-manager', `--kubeconfig=${admin}`, '--secure-port=0', '-v2']);
    await daemon.warns('not serving: --secure-port is 0');
    await daemon.warns('leading');
    expect((await daemon.kill('SIGTERM')).code).toBe(0);
  });

  test('With --disabled-metrics a metric is left out', async () => {
    const { daemon, port } = await start(
      '--disabled-metrics=rest_client_requests_total',
      '--authorization-always-allow-paths=*',
    );
    await using _ = daemon;
    const { text } = await ask(port, '/metrics');
    expect(text).not.toContain('rest_client_requests_total');
    expect(text).toContain('rest_client_request_duration_seconds');
  });
});

describe('a daemon that cannot start says why', () => {
  test.each<{ name: string; flags: () => string[]; says: string }>([
    {
      name: 'no API server',
      flags: () => [],
      says: 'Error: there is no API server to work on: give --kubeconfig or --master',
    },
    {
      name: 'no such kubeconfig',
      flags: () => ['--kubeconfig=/nonexistent'],
      says: 'Error: --kubeconfig: /nonexistent: no such file or directory',
    },
    {
      name: 'no such kubeconfig of authentication',
      flags: () => [`--kubeconfig=${admin}`, '--authentication-kubeconfig=/nonexistent'],
      says: 'Error: --authentication-kubeconfig: /nonexistent: no such file or directory',
    },
    {
      name: 'no such file of authorities',
      flags: () => [`--kubeconfig=${admin}`, '--client-ca-file=/nonexistent'],
      says: 'Error: --client-ca-file: open /nonexistent: no such file or directory',
    },
    {
      name: 'an unknown controller',
      flags: () => [`--kubeconfig=${admin}`, '--controllers=foo'],
      says: 'Error: "foo" is not in the list of known controllers',
    },
  ])('A daemon that cannot start says why: $name', async ({ flags, says }) => {
    const [port] = await freePorts(1);
    await using daemon = new OrchProcess(['controller-manager', `--secure-port=${port}`, ...flags()]);
    const { code } = await daemon.exited;
    expect(code).toBe(1);
    expect(daemon.errors).toContain(says);
  });

  test('A user that may not read the published authorities, unless that is tolerated', async () => {
    const alice = await tokenKubeconfig(api, 'alice');
    const [port] = await freePorts(1);
    const flags = [
      'controller-manager',
      `--kubeconfig=${admin}`,
      `--secure-port=${port}`,
      `--authentication-kubeconfig=${alice}`,
    ];
    await using strict = new OrchProcess(flags);
    expect((await strict.exited).code).toBe(1);
    expect(strict.errors).toContain('unable to load configmap based request-header-client-ca-file');
    await using tolerant = new OrchProcess([...flags, '--authentication-tolerate-lookup-failure']);
    await tolerant.warns('could not be looked up');
    await tolerant.warns('serving');
    await using skipping = new OrchProcess([...flags, '--authentication-skip-lookup', '--secure-port=0']);
    await skipping.warns('leader');
  });
});
