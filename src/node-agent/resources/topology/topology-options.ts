/**
 * Options of the topology manager.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/#topology-manager-policy-options |
 *   Topology manager policy options}
 */
import { type GateSettings, isGateOn } from '../../../api/feature-gates.ts';
import { booleanOption, integerOption, OptionError } from '../policy-options.ts';

export interface TopologyOptions {
  readonly prefersClosest: boolean;
  readonly maxNumaNodes: number;
}

/** With more, choices take too long. */
const usualMaxNumaNodes = 8;

/** Throws an `OptionError`. */
export function parseTopologyOptions(options: Readonly<Record<string, string>>, gates: GateSettings): TopologyOptions {
  let [prefersClosest, maxNumaNodes] = [false, usualMaxNumaNodes];
  for (const [name, value] of Object.entries(options))
    switch (name) {
      case 'prefer-closest-numa-nodes':
        prefersClosest = booleanOption(name, value);
        break;
      case 'max-allowable-numa-nodes':
        if (!isGateOn('TopologyManagerPolicyBetaOptions', gates))
          throw new OptionError(
            `Topology Manager Policy Beta-level Options not enabled, but option "${name}" provided`,
          );
        maxNumaNodes = integerOption(name, value);
        if (maxNumaNodes < usualMaxNumaNodes)
          throw new OptionError(`the minimum value of "${name}" should not be less than ${usualMaxNumaNodes}`);
        break;
      default:
        throw new OptionError(`unknown Topology Manager Policy option: "${name}"`);
    }
  return { prefersClosest, maxNumaNodes };
}

/** @param nodes how many there are */
export function checkNumaNodes(nodes: number, { maxNumaNodes }: TopologyOptions): void {
  if (nodes > maxNumaNodes) throw new OptionError(`unsupported on machines with more than ${maxNumaNodes} NUMA Nodes`);
}
