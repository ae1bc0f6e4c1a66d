/** Renews the Leases of the nodes that a case makes, as their kubelets would. */
import type { Api } from './api.ts';

const renewalMs = 2_000;

export class NodeLeases implements Disposable {
  readonly #api: Api;
  readonly #renewals = new Map<string, NodeJS.Timeout>();

  constructor(api: Api) {
    this.#api = api;
  }

  async start(node: string): Promise<void> {
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    const spec = (): { renewTime: string } => ({ renewTime: new Date().toISOString().replace('Z', '000Z') });
    await this.#api.send('POST', path, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: node, namespace: 'kube-node-lease' },
      spec: { holderIdentity: node, leaseDurationSeconds: 40, ...spec() },
    });
    const renew = (): void => {
      // A lease that is not renewed shows in what becomes of the node.
      this.#api
        .send('PATCH', `${path}/${node}`, { spec: spec() }, 'application/merge-patch+json')
        .catch((error: unknown) => console.warn(`lease of ${node}:`, error));
    };
    this.#renewals.set(node, setInterval(renew, renewalMs));
  }

  stop(node: string): void {
    clearInterval(this.#renewals.get(node));
    this.#renewals.delete(node);
  }

  [Symbol.dispose](): void {
    for (const node of [...this.#renewals.keys()]) this.stop(node);
  }
}
