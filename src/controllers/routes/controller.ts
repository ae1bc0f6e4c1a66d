/**
 * Gives each node its routes in the network of a platform: one for each range of its pods. What the node says of its
 * network follows: pods are placed on it once it has them.
 */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { formatDuration } from '../../machinery/duration.ts';
import { type Cidr, parseCidr } from '../../machinery/formats/addresses.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { CloudCall, NewRoute, Routes } from '../cloud/provider.ts';
import type { ControllerContext } from '../manager/context.ts';
import { inParallel } from '../shared/parallel.ts';
import { formatMs } from '../shared/times.ts';
import { networkCondition, planRoutes } from './sync.ts';

const defaultPeriodMs = 10_000;
const defaultClusterName = 'kubernetes';
/** Calls of the platform at a time, as upstream. */
const width = 200;

export function startRoutes(context: ControllerContext): void {
  const { client, cloud, log } = context;
  const routes = cloud?.routes;
  if (routes === undefined) return log.warn({ controller: context.name }, 'the cloud provider does not support routes');
  const clusterCidrs = routes.clusterCidrs.map(clusterCidr);
  const nodes = context.informer(client.core.v1.nodes);
  const clusterName = cloud?.clusterName ?? defaultClusterName;
  const controller = new RouteController(context, routes, { nodes, clusterCidrs });
  const reconcile = async (signal: AbortSignal): Promise<void> => {
    await nodes.untilSynced(signal);
    await controller.reconcile({ clusterName, signal });
  };
  context.every(routes.periodMs ?? defaultPeriodMs, reconcile, 0);
}

function clusterCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`the cloud provider has the range ${JSON.stringify(text)}, which is no CIDR`);
  return cidr;
}

interface Parts {
  readonly nodes: Informer<Node>;
  readonly clusterCidrs: readonly Cidr[];
}

class RouteController {
  readonly #context: ControllerContext;
  readonly #routes: Routes;
  readonly #parts: Parts;

  constructor(context: ControllerContext, routes: Routes, parts: Parts) {
    this.#context = context;
    this.#routes = routes;
    this.#parts = parts;
  }

  /** What fails is tried again with the next call. */
  async reconcile(call: CloudCall): Promise<void> {
    const routes = await this.#routes.listRoutes(call);
    const nodes = this.#parts.nodes.lister.list();
    const plan = planRoutes(nodes, routes, this.#parts.clusterCidrs);
    const removed = await inParallel(plan.remove, width, (route) => this.#routes.deleteRoute(route, call));
    for (const result of removed)
      if (result.status === 'rejected')
        this.#context.log.error({ controller: this.#context.name, err: result.reason }, 'a route was not deleted');
    const created = await inParallel(plan.create, width, (route) => this.#create(route, call));
    const failed = new Set(plan.create.filter((_, i) => created[i]!.status === 'rejected').map((r) => r.targetNode));
    const said = await inParallel(nodes, width, (node) => this.#say(node, !failed.has(node.metadata.name!)));
    for (const result of said) if (result.status === 'rejected') throw result.reason;
  }

  async #create(route: NewRoute, call: CloudCall): Promise<void> {
    const begun = this.#context.clock.now();
    try {
      await this.#routes.createRoute(route, call);
    } catch (error) {
      const { nameHint, destinationCidr, targetNode } = route;
      const took = formatDuration(Math.round((this.#context.clock.now() - begun) * 1e6));
      const why = error instanceof Error ? error.message : String(error);
      const what = `Could not create route ${nameHint} ${destinationCidr} for node ${targetNode}`;
      const node = { kind: 'Node', name: targetNode, uid: targetNode };
      this.#context.events.event(node, 'Warning', 'FailedToCreateRoute', `${what} after ${took}: ${why}`);
      throw error;
    }
  }

  async #say(node: Node, hasRoutes: boolean): Promise<void> {
    const condition = networkCondition(node, hasRoutes, formatMs(this.#context.wallTime()));
    if (condition === undefined) return;
    const patch = { strategic: { status: { conditions: [condition] } } };
    await this.#context.client.core.v1.nodes.status.patch(node.metadata.name!, patch).catch(undefinedWhenGone);
  }
}
