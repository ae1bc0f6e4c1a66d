/** Requests to what runs behind pods, services and nodes: their subresource `proxy`. */
import type { ClientRequest, PendingAnswer } from '../requests/sender.ts';
import { pathOf } from '../resources/paths.ts';
import type { Requests } from '../resources/requests.ts';
import type { ResourceTarget } from '../resources/resource-client.ts';

export interface ProxiedRequest extends Omit<ClientRequest, 'path' | 'method'> {
  /** `GET` when absent. */
  readonly method?: string;
  /** With the query; begins with a slash. `/` when absent. */
  readonly path?: string;
}

/** `client.core.v1.services.namespace('default').proxy` */
export class ResourceProxy {
  readonly #target: ResourceTarget;
  readonly #requests: Requests;

  constructor(target: ResourceTarget, requests: Requests) {
    this.#target = target;
    this.#requests = requests;
  }

  /**
   * Resolves with any answer, also with refusals.
   * @param name with scheme and port where they are not the only ones: `https:web:8443`, `web:http`
   */
  request(name: string, { method = 'GET', path = '/', ...request }: ProxiedRequest = {}): Promise<PendingAnswer> {
    if (!path.startsWith('/')) throw new TypeError(`${JSON.stringify(path)} does not begin with a slash`);
    const base = pathOf({ ...this.#target, name, subresource: 'proxy' });
    return this.#requests.sender.send({ ...request, method, path: base + path });
  }
}
