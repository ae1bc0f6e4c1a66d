/** A cluster as the recorded one: our API server, with our controllers and scheduler or those of the reference. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createControlPlane } from '../../../src/index.ts';
import { Api } from './api.ts';
import type { ClusterFiles, Running } from './cluster-files.ts';
import { startOurs } from './ours.ts';
import { startReference } from './reference.ts';
import { Owned } from './owned.ts';
import { Watches } from './watches.ts';

export interface Cluster extends AsyncDisposable {
  readonly api: Api;
  readonly watches: Watches;
  /** PEM of the root certificate. */
  readonly ca: string;
  readonly running: ReadonlySet<string>;
  readonly log: Running['log'];
  /** Deletes what a case has made, as far as it would bother another. */
  leave(namespace: string, token: string): void;
}

/** Which controllers are replayed against: ours, or those of the reference, where they are built. */
export const isReference = process.env['ORCH_REPLAY_CONTROLLERS'] === 'reference';

const token = 'admintoken';

export interface ClusterRules {
  /** Whose controllers run. */
  readonly withReference?: boolean;
  readonly taintsNewNodes?: boolean;
}

export async function startCluster(rules: ClusterRules = {}): Promise<Cluster> {
  const { withReference = isReference, taintsNewNodes = true } = rules;
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-replay-'));
  const owned = new Owned();
  owned.defer(() => rm(directory, { recursive: true, force: true }));
  try {
    const files = await startServer(directory, owned, { withReference, taintsNewNodes });
    const api = owned.use(new Api(files.url, files.ca, token));
    const running = owned.use(await (withReference ? startReference(files) : startOurs(files)));
    return {
      api,
      watches: new Watches(api),
      ca: files.ca,
      running: running.names,
      log: running.log,
      leave: (namespace, own) => void leave(api, namespace, own),
      [Symbol.asyncDispose]: () => owned.close(),
    };
  } catch (error) {
    await owned.close();
    throw error;
  }
}

async function startServer(
  directory: string,
  owned: Owned,
  { withReference, taintsNewNodes }: Required<ClusterRules>,
): Promise<ClusterFiles> {
  const tokens = path.join(directory, 'tokens.csv');
  await writeFile(tokens, `${token},admin,1,"system:masters"\n`);
  const dataDir = path.join(directory, 'data');
  const controlPlane = owned.use(
    await createControlPlane({
      // Those that are replayed run beside it.
      controllers: false,
      dataDir,
      flags: [
        `--token-auth-file=${tokens}`,
        '--service-cluster-ip-range=10.0.0.0/24',
        '--authorization-mode=Node,RBAC',
        '--enable-admission-plugins=ServiceAccount',
        ...(taintsNewNodes ? [] : ['--disable-admission-plugins=TaintNodesByCondition']),
        // The old versions that a controller manager of 1.20 asks for.
        ...(withReference ? ['--runtime-config=api/all=true'] : []),
      ],
    }),
  );
  const pki = (name: string): string => path.join(dataDir, 'pki', name);
  const kubeconfig = path.join(directory, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigFor(controlPlane.url, pki('ca.crt')));
  return {
    directory,
    url: controlPlane.url,
    kubeconfig,
    ca: await readFile(pki('ca.crt'), 'utf8'),
    token,
    caFile: pki('ca.crt'),
    caKeyFile: pki('ca.key'),
    serviceAccountKeyFile: pki('sa.key'),
  };
}

const kubeconfigFor = (url: string, ca: string): string => `apiVersion: v1
kind: Config
clusters: [{name: replay, cluster: {server: "${url}", certificate-authority: "${ca}"}}]
users: [{name: admin, user: {token: ${token}}}]
contexts: [{name: replay, context: {cluster: replay, user: admin}}]
current-context: replay
`;

const clusterScoped = ['nodes', 'persistentvolumes', 'clusterroles', 'validatingadmissionpolicies', 'storageclasses'];

/** A cluster that ends meanwhile takes it along. */
async function leave(api: Api, namespace: string, own: string): Promise<void> {
  try {
    await api.send('DELETE', `/api/v1/namespaces/${namespace}`);
    for (const resource of clusterScoped)
      for (const { metadata } of await api.list(resource))
        if (metadata.name.includes(own)) await api.remove(resource, metadata.name);
  } catch {
    // The next case has other names.
  }
}
