import { bool, int, section } from '../flag.ts';

export const flowControl = section('Flow control', {
  enablePriorityAndFairness: bool('enable-priority-and-fairness', 'supported', {
    default: true,
    help:
      'Queue requests by priority level and flow. Both limits below are one then: so many seats are divided among ' +
      'the levels.',
  }),
  maxRequestsInflight: int('max-requests-inflight', 'supported', {
    default: 400,
    help:
      'How many reading requests may run at a time, watches not counted; 0 for no limit. More are ' +
      'answered with 429.',
  }),
  maxMutatingRequestsInflight: int('max-mutating-requests-inflight', 'supported', {
    default: 200,
    help: 'How many writing requests may run at a time; 0 for no limit. More are answered with 429.',
  }),
});
