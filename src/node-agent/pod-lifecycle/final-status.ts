/**
 * The last status of a pod: whatever its containers were doing, they have ended, and its phase does not change again.
 */
import type { ContainerStatus } from '../../api/gen/types/core-v1.ts';
import type { ContainerStatuses } from './container-status.ts';

/** Containers of which no end is known have ended with 137; those that no start was tried of stay as they are. */
export function finalStatuses({ init, main, ephemeral }: ContainerStatuses): ContainerStatuses {
  const tried = init.findLastIndex((status) => !isUntried(status)) + 1;
  return {
    init: init.map((status, index) => (index < tried ? ended(status) : status)),
    main: isInitialized(init, main) ? main.map(ended) : main,
    ephemeral,
  };
}

function isInitialized(init: readonly ContainerStatus[], main: readonly ContainerStatus[]): boolean {
  if (init.length === 0 || main.some((status) => !isUntried(status))) return true;
  const { state, lastState } = init.at(-1)!;
  return [state, lastState].some(({ terminated }) => terminated?.exitCode === 0);
}

const isUntried = ({ state, lastState }: ContainerStatus): boolean =>
  state.running === undefined && state.terminated === undefined && lastState.terminated === undefined;

const ended = (status: ContainerStatus): ContainerStatus =>
  status.state.terminated !== undefined
    ? status
    : {
        ...status,
        state: {
          terminated: {
            exitCode: 137,
            reason: 'ContainerStatusUnknown',
            message: 'The container could not be located when the pod was terminated',
          },
        },
      };
