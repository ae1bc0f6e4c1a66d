/** Pods of higher priority first, and among equals those that wait for longer. */
import type { Has, QueueSortPlugin } from '../framework/plugin.ts';

export function createPrioritySort(): Has<QueueSortPlugin> {
  return {
    name: 'PrioritySort',
    isBefore: (a, b) => (a.priority === b.priority ? a.timestamp < b.timestamp : a.priority > b.priority),
  };
}
