/** What is particular to a section of the recordings. */
import type { JsonValue } from '../../../src/machinery/value.ts';
import type { RecordedCase } from './recording.ts';

export interface SectionRules {
  /** Whether what follows a request would be other at the end of a minute than at its beginning. */
  waitsForTime(method: string, body: JsonValue | undefined): boolean;
  /** Whether each case needs a cluster of its own, in which no other case makes nodes or tokens. */
  readonly isAlone: boolean;
  /** The bound of each wait, unless there is more patience. */
  readonly waitMs: number;
  /**
   * Whether the API server taints new nodes until the node lifecycle controller has seen them. Which pods are tried in
   * that moment depends on time alone, so that the sections of the scheduler do without.
   */
  readonly taintsNewNodes: boolean;
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
    waitsForTime: (method, body) => section === 'controllers-cronjob' && method === 'PATCH' && resumes(body),
    isAlone: isScheduler || alone.includes(section),
    taintsNewNodes: !isScheduler,
    waitMs: slow.includes(section) ? 110_000 : 30_000,
    // A new node had its taint for a moment; whether a pod was told of it depended on time.
    keepsEvent: (line, recorded) =>
      !isScheduler || (/^\S+ \S+ Pod\//.test(line) && (!line.includes(notReady) || isAbout(recorded, notReady))),
  };
}

const resumes = (body: JsonValue | undefined): boolean => JSON.stringify(body) === '{"spec":{"suspend":false}}';

const isAbout = ({ steps }: RecordedCase, text: string): boolean =>
  steps.some(({ snapshot }) => snapshot?.events?.some((line) => line.includes(text)));
