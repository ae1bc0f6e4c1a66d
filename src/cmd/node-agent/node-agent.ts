/** `orch node-agent`: a node with real containers, or, with `--hollow`, any number of nodes without. */
import type { Command } from '../command.ts';

export const nodeAgent: Command = async (argv, context) => {
  const isHollow = argv.some((argument) => /^--hollow(=|$)/.test(argument));
  const run = isHollow ? (await import('./hollow.ts')).hollowNodes : (await import('./agent.ts')).realNode;
  return run(argv, context);
};
