import { bool, int, section } from '../flag.ts';

export const flowControl = section('Flow control', {
  enablePriorityAndFairness: bool('enable-priority-and-fairness', 'notYet', { default: true, help: 'Queue requests by priority level and flow instead of counting those in flight.' }),
  maxRequestsInflight: int('max-requests-inflight', 'notYet', {
    default: 400,
    help: 'How many reading requests may run at a time. With priority and fairness, a part of the total concurrency.',
  }),
  maxMutatingRequestsInflight: int('max-mutating-requests-inflight', 'notYet', {
    default: 200,
    help: 'How many writing requests may run at a time; 0 for no limit. With priority and fairness, a part of the total concurrency.',
  }),
});
