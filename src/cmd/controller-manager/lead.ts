/** What the controller manager does while it leads: its controllers, their health and their metrics. */
import { Counter, Gauge } from 'prom-client';
import { type ControllerManager, startControllers } from '../../controllers/manager/manager.ts';
import { type ControllerDefinition, controllerTable } from '../../controllers/manager/controller-table.ts';
import type { ControllerManagerOptions } from '../../controllers/manager/options.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { createWorkQueueMetrics, type WorkQueueMetrics } from '../../server/metrics/work-queue-metrics.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';
import { controllerClients } from './clients.ts';
import type { LeaderMigration } from './leader-migration.ts';

export interface LeadOptions {
  readonly options: ControllerManagerOptions;
  readonly migration: LeaderMigration | undefined;
  /** Of the locks. */
  readonly namespace: string;
  /** In place of all there are. */
  readonly controllers?: readonly ControllerDefinition[];
}

/** Resolves when the leadership, and all that was begun under it, has ended. */
export async function lead(daemon: LeadingDaemon, { options, migration, namespace, controllers }: LeadOptions) {
  const metrics = managerMetrics(daemon.registry);
  const table = controllers ?? controllerTable;
  const start = (under: LeadingDaemon, place: 'main' | 'migration'): ControllerManager =>
    startControllers({
      clientFor: controllerClients(under, options.generic),
      options,
      notBefore: under.since,
      log: under.log,
      metrics: under.registry,
      queueMetrics: metrics.queues,
      onRestart: (name) => metrics.restarts.inc({ name }),
      controllers: migration === undefined ? table : table.filter(({ name }) => migration.placeOf(name) === place),
    });
  const run = async (under: LeadingDaemon, place: 'main' | 'migration'): Promise<void> => {
    const manager = start(under, place);
    const stopWatching = [
      metrics.show(manager),
      ...manager.status().map(({ name }) => under.addHealthCheck(healthOf(manager, name))),
    ];
    await over(under.signal);
    await manager.stop();
    for (const stop of stopWatching) stop();
  };
  const main = run(daemon, 'main');
  if (migration === undefined) return main;
  const lock = { namespace, name: migration.leaderName, kind: migration.resourceLock };
  await Promise.all([main, daemon.leadUnder(lock, (under) => run(under, 'migration'))]);
}

/** As upstream, each controller has a check of its own name. */
const healthOf = (manager: ControllerManager, name: string): HealthCheck => ({
  name,
  check() {
    const status = manager.status().find((controller) => controller.name === name);
    if (status?.state === 'failed')
      throw new Error(`${name} failed, and will be started again`, { cause: status.reason });
  },
});

const over = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

interface ManagerMetrics {
  readonly queues: WorkQueueMetrics;
  readonly restarts: Counter<'name'>;
  /** @returns what ends it */
  show(manager: ControllerManager): () => void;
}

function managerMetrics(registry: MetricRegistry): ManagerMetrics {
  const registers = [registry];
  const shown = new Set<ControllerManager>();
  new Gauge({
    name: 'running_managed_controllers',
    help: 'Whether a controller runs, by its name and that of its manager.',
    labelNames: ['manager', 'name'],
    registers,
    collect() {
      this.reset();
      for (const manager of shown)
        for (const { name, state } of manager.status())
          this.set({ manager: 'kube-controller-manager', name }, state === 'running' ? 1 : 0);
    },
  });
  return {
    queues: createWorkQueueMetrics(registry),
    restarts: new Counter({
      name: 'orch_controller_restarts_total',
      help: 'How often a controller was started again because it had failed, by its name.',
      labelNames: ['name'],
      registers,
    }),
    show(manager) {
      shown.add(manager);
      return () => void shown.delete(manager);
    },
  };
}
