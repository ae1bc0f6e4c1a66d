/** What is particular to a section of the recordings. */
import type { RecordedCase } from './recording.ts';

export interface SectionRules {
  /** Whether each case needs a cluster of its own, in which no other case makes nodes or tokens. */
  readonly isAlone: boolean;
  /** The bound of each wait, unless there is more patience. */
  readonly waitMs: number;
  /** Whether a line of an event belongs to what was recorded. */
  keepsEvent(line: string, recorded: RecordedCase): boolean;
}

export const sections = [
  'controllers-attach',
  'controllers-bootstrap',
  'controllers-cronjob',
  'controllers-csr',
  'controllers-daemonset',
  'controllers-deployment',
  'controllers-endpoints',
  'controllers-gc',
  'controllers-hpa',
  'controllers-job',
  'controllers-misc',
  'controllers-namespace',
  'controllers-node',
  'controllers-pdb',
  'controllers-quota',
  'controllers-replicaset',
  'controllers-serviceaccount',
  'controllers-statefulset',
  'controllers-volumes',
  'scheduler-fit',
  'scheduler-nodes',
  'scheduler-pods',
  'scheduler-preemption',
  'scheduler-volumes',
] as const;

export type Section = (typeof sections)[number];

const alone: readonly Section[] = ['controllers-daemonset', 'controllers-node', 'controllers-bootstrap'];

/** These wait for something that is looked at each minute, or by the pod garbage collector. */
const slow: readonly Section[] = [
  'controllers-cronjob',
  'controllers-gc',
  'controllers-hpa',
  'controllers-namespace',
  'controllers-node',
];

const notReady = 'node.kubernetes.io/not-ready';

export function rulesOf(section: Section): SectionRules {
  const isScheduler = section.startsWith('scheduler-');
  return {
    isAlone: isScheduler || alone.includes(section),
    waitMs: slow.includes(section) ? 110_000 : 30_000,
    // A new node has its taint for a moment; whether a pod is told of it depends on time.
    keepsEvent: (line, recorded) =>
      !isScheduler || (/^\S+ \S+ Pod\//.test(line) && (!line.includes(notReady) || isAbout(recorded, notReady))),
  };
}

const isAbout = ({ steps }: RecordedCase, text: string): boolean =>
  steps.some(({ snapshot }) => snapshot?.events?.some((line) => line.includes(text)));
