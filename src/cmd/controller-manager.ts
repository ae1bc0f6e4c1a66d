/** `orch controller-manager`: the controllers, as the leader among the processes that may run them. */
import type { Command } from './command.ts';
import { readMigration } from './controller-manager/leader-migration.ts';
import { lead } from './controller-manager/lead.ts';
import { readDaemonCommandLine } from './daemon/read-command-line.ts';
import { runDaemon } from './daemon/run-daemon.ts';
import { completeControllerManager } from './flags/controller-manager/options.ts';
import { flagValues } from './flags/flag-values.ts';
import { controllerManagerFlags } from './flags/controller-manager/table.ts';

const about =
  'Runs the controllers: they move the cluster towards what its objects ask for. Of several processes one works.';

/** @param program the name that the process was started by */
const run =
  (program: string): Command =>
  async (argv, context) => {
    const command = { command: `orch ${program}`, about, flags: controllerManagerFlags };
    const line = readDaemonCommandLine(command, argv, context);
    if (line === undefined) return 0;
    const { daemon, controllers, warnings } = completeControllerManager(line.options, line.given, program);
    for (const warning of warnings) context.err(`Warning: ${warning}\n`);
    const migration = await readMigration(line.options.leaderMigration);
    return runDaemon(
      {
        name: 'kube-controller-manager',
        options: daemon,
        given: line.given,
        featureGates: controllers.generic.featureGates,
        config: { name: 'kubecontrollermanager.config.k8s.io', value: controllers },
        emulatedVersions: line.options.generic.emulatedVersions,
        flags: () => flagValues(controllerManagerFlags, line.options),
        lead: (leading) =>
          lead(leading, { options: controllers, migration, namespace: daemon.leaderElection.resourceNamespace }),
      },
      context,
    );
  };

export const controllerManager = run('controller-manager');
/** In the place of the original: with its lock. */
export const kubeControllerManager = run('kube-controller-manager');
