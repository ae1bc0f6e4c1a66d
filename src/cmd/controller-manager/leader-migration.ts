/**
 * `--leader-migration-config`: controllers that move from one controller manager to another are run by the process that
 * has a lock that both know.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/controller-manager-leader-migration/ | Migrate
 *   Replicated Control Plane To Use Cloud Controller Manager}
 */
import { findController } from '../../controllers/manager/controller-names.ts';
import { parseYaml } from '../../machinery/json/yaml.ts';
import { readFlagFile } from '../read-file.ts';
import { UserError } from '../user-error.ts';

export interface LeaderMigration {
  /** Of the lock that both controller managers know; in the namespace of the other one. */
  readonly leaderName: string;
  readonly resourceLock: 'leases' | 'endpointsleases';
  /** How a controller is run: under the main lock, under that of the migration, or by another process. */
  placeOf(controller: string): 'main' | 'migration' | 'elsewhere';
}

/** This component, in the document. */
const component = 'kube-controller-manager';
const flag = 'leader-migration-config';

/** Undefined where it is off. */
export async function readMigration({
  isEnabled,
  configFile,
}: {
  readonly isEnabled: boolean;
  readonly configFile: string | undefined;
}): Promise<LeaderMigration | undefined> {
  if (!isEnabled || configFile === undefined) return undefined;
  const text = (await readFlagFile(flag, configFile))!;
  try {
    return parseMigration(text);
  } catch (error) {
    throw new UserError(`--${flag}: ${configFile}: ${(error as Error).message}`, { cause: error });
  }
}

/** Throws for what is no such document. */
export function parseMigration(text: string): LeaderMigration {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) throw new Error(problems.join(', '));
  const document = fieldsOf(value);
  const { kind, apiVersion, leaderName, resourceLock, controllerLeaders = [] } = document;
  if (
    kind !== 'LeaderMigrationConfiguration' ||
    !['v1', 'v1alpha1', 'v1beta1'].some((version) => apiVersion === `controllermanager.config.k8s.io/${version}`)
  )
    throw new Error(`unexpected config type: ${String(apiVersion)}, Kind=${String(kind)}`);
  const wrong: string[] = [];
  if (typeof leaderName !== 'string' || leaderName === '')
    wrong.push('leaderName: Required value: leaderName must be set for LeaderMigrationConfiguration');
  if (resourceLock !== undefined && resourceLock !== 'leases' && resourceLock !== 'endpoints')
    wrong.push(
      `resourceLock: Invalid value: ${JSON.stringify(resourceLock)}: resource Lock must be one of 'leases' or ` +
        "'endpoints'",
    );
  const places = new Map<string, 'migration' | 'elsewhere'>();
  const leaders: readonly unknown[] = Array.isArray(controllerLeaders) ? controllerLeaders : [];
  leaders.map(fieldsOf).forEach(({ name, component: by }, index) => {
    if (typeof by !== 'string' || by === '')
      wrong.push(`controllerLeaders[${index}].component: Required value: component must be set`);
    if (typeof name !== 'string' || name === '')
      wrong.push(`controllerLeaders[${index}].name: Required value: name must be set`);
    else places.set(findController(name)?.name ?? name, by === component || by === '*' ? 'migration' : 'elsewhere');
  });
  if (wrong.length > 0) throw new Error(`failed to parse leader migration configuration: [${wrong.join(', ')}]`);
  return {
    leaderName: leaderName as string,
    resourceLock: resourceLock === 'endpoints' ? 'endpointsleases' : 'leases',
    placeOf: (controller) => places.get(controller) ?? 'main',
  };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
