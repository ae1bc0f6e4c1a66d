/** Command lines of the controller manager, completed. */
import { FlagError, parseFlags } from '../../parse.ts';
import { type CompletedControllerManager, completeControllerManager } from '../options.ts';
import { controllerManagerFlags } from '../table.ts';

export function complete(argv: readonly string[], program = 'controller-manager'): CompletedControllerManager {
  const { options, given } = parseFlags(controllerManagerFlags, argv);
  return completeControllerManager(options, given, program);
}

export function problems(argv: readonly string[]): readonly string[] {
  try {
    complete(argv);
    return [];
  } catch (error) {
    if (error instanceof FlagError) return error.problems;
    throw error;
  }
}
