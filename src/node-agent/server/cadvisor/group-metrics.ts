/**
 * What is told of each control group at `/metrics/cadvisor`: one row per metric, with where the kernel says it in
 * version 1 and in version 2.
 * @see {@link https://docs.kernel.org/admin-guide/cgroup-v2.html | Control Group v2}
 */
import type { Exposition, Family, Labels } from '../stats/exposition.ts';
import type { GroupFiles } from './group-files.ts';

type Read = (files: GroupFiles) => number | undefined;

interface Row extends Family {
  readonly v1: Read;
  readonly v2: Read;
  /** Beside those of the group. */
  readonly labels?: Labels;
}

/** Limits at and above this are none, which 0 stands for. */
const noLimit = 2 ** 62;
const ticksPerSecond = 100;

const number =
  (file: string, unit = 1): Read =>
  (files) => {
    const value = files.number(file);
    return value === undefined ? undefined : value / unit;
  };

const field =
  (file: string, name: string, unit = 1): Read =>
  (files) => {
    const value = files.field(file, name);
    return value === undefined ? undefined : value / unit;
  };

/** A limit; 0 for none. */
const limit =
  (file: string): Read =>
  (files) => {
    const value = files.number(file);
    return value === undefined ? (files.text(file)?.trim() === 'max' ? 0 : undefined) : value >= noLimit ? 0 : value;
  };

const constant =
  (value: number): Read =>
  () =>
    value;
const both = (read: Read): { readonly v1: Read; readonly v2: Read } => ({ v1: read, v2: read });

/** `QUOTA PERIOD`, or `max PERIOD`. */
const cpuMax =
  (part: 0 | 1): Read =>
  (files) => {
    const [quota = '', period = ''] = (files.text('cpu.max') ?? '').trim().split(' ');
    if (period === '' || (part === 0 && quota === 'max')) return undefined;
    return Number(part === 0 ? quota : period);
  };

/** Version 2 has weights, from 1 to 10000, in place of shares. */
const sharesOfWeight: Read = (files) => {
  const weight = files.number('cpu.weight');
  return weight === undefined ? undefined : Math.round(((weight - 1) * 262_142) / 9999 + 2);
};

/** Without a quota nothing is counted. */
const throttling =
  (name: string, unit = 1): Read =>
  (files) =>
    (files.number('cpu/cpu.cfs_quota_us') ?? -1) > 0 ? field('cpu/cpu.stat', name, unit)(files) : undefined;
const throttlingV2 =
  (name: string, unit = 1): Read =>
  (files) =>
    cpuMax(0)(files) === undefined ? undefined : field('cpu.stat', name, unit)(files);

const memoryStat = 'memory/memory.stat';
const usage: Read = (files) =>
  files.number('memory.current') ??
  // The top has no such file.
  sum(files.field('memory.stat', 'anon'), files.field('memory.stat', 'file'));
const workingSet = (used: Read, inactive: Read): Read => {
  return (files) => {
    const value = used(files);
    return value === undefined ? undefined : Math.max(0, value - (inactive(files) ?? 0));
  };
};

const sum = (...values: readonly (number | undefined)[]): number | undefined =>
  values.some((value) => value === undefined) ? undefined : values.reduce<number>((all, value) => all + value!, 0);

const gauge = (name: string, help: string, reads: { readonly v1: Read; readonly v2: Read }, labels?: Labels): Row => ({
  name,
  help,
  type: 'gauge',
  ...reads,
  ...(labels === undefined ? {} : { labels }),
});
const counter = (...row: Parameters<typeof gauge>): Row => ({ ...gauge(...row), type: 'counter' });

/** One family, with a row for each value of its label. */
const several = <T>(values: readonly T[], rowOf: (value: T) => Row): Row[] => values.map(rowOf);

const faults = [
  { type: 'pgfault', scope: 'container', v1: 'pgfault', v2: 'pgfault' },
  { type: 'pgmajfault', scope: 'container', v1: 'pgmajfault', v2: 'pgmajfault' },
  { type: 'pgfault', scope: 'hierarchy', v1: 'total_pgfault', v2: 'pgfault' },
  { type: 'pgmajfault', scope: 'hierarchy', v1: 'total_pgmajfault', v2: 'pgmajfault' },
];
const taskStates = ['iowaiting', 'running', 'sleeping', 'stopped', 'uninterruptible'];

const rows: readonly Row[] = [
  counter('container_cpu_cfs_periods_total', 'Periods in which the CPU quota was enforced.', {
    v1: throttling('nr_periods'),
    v2: throttlingV2('nr_periods'),
  }),
  counter('container_cpu_cfs_throttled_periods_total', 'Periods in which the CPU quota was used up.', {
    v1: throttling('nr_throttled'),
    v2: throttlingV2('nr_throttled'),
  }),
  counter('container_cpu_cfs_throttled_seconds_total', 'Time for which processes were held up by the CPU quota.', {
    v1: throttling('throttled_time', 1e9),
    v2: throttlingV2('throttled_usec', 1e6),
  }),
  gauge('container_cpu_load_average_10s', 'Not measured: 0.', both(constant(0))),
  gauge('container_cpu_load_d_average_10s', 'Not measured: 0.', both(constant(0))),
  counter('container_cpu_system_seconds_total', 'CPU time in the kernel.', {
    v1: field('cpuacct/cpuacct.stat', 'system', ticksPerSecond),
    v2: field('cpu.stat', 'system_usec', 1e6),
  }),
  counter(
    'container_cpu_usage_seconds_total',
    'CPU time.',
    { v1: number('cpuacct/cpuacct.usage', 1e9), v2: field('cpu.stat', 'usage_usec', 1e6) },
    { cpu: 'total' },
  ),
  counter('container_cpu_user_seconds_total', 'CPU time outside the kernel.', {
    v1: field('cpuacct/cpuacct.stat', 'user', ticksPerSecond),
    v2: field('cpu.stat', 'user_usec', 1e6),
  }),
  gauge('container_memory_cache', 'Memory of files.', {
    v1: field(memoryStat, 'total_cache'),
    v2: field('memory.stat', 'file'),
  }),
  counter('container_memory_failcnt', 'How often the memory limit was met.', {
    v1: number('memory/memory.failcnt'),
    v2: field('memory.events', 'max'),
  }),
  ...several(faults, ({ type, scope, v1, v2 }) =>
    counter(
      'container_memory_failures_total',
      'Page faults.',
      { v1: field(memoryStat, v1), v2: field('memory.stat', v2) },
      { failure_type: type, scope },
    ),
  ),
  gauge('container_memory_kernel_usage', 'Memory that the kernel uses for the group.', {
    v1: number('memory/memory.kmem.usage_in_bytes'),
    v2: field('memory.stat', 'kernel'),
  }),
  gauge('container_memory_mapped_file', 'Memory of files that are mapped.', {
    v1: field(memoryStat, 'total_mapped_file'),
    v2: field('memory.stat', 'file_mapped'),
  }),
  gauge('container_memory_max_usage_bytes', 'The most memory that was used.', {
    v1: number('memory/memory.max_usage_in_bytes'),
    v2: number('memory.peak'),
  }),
  gauge('container_memory_rss', 'Memory that is not of files.', {
    v1: field(memoryStat, 'total_rss'),
    v2: field('memory.stat', 'anon'),
  }),
  gauge('container_memory_swap', 'Swap that is used.', {
    v1: (files) => files.field(memoryStat, 'total_swap') ?? 0,
    v2: (files) => files.number('memory.swap.current') ?? 0,
  }),
  gauge('container_memory_total_active_file_bytes', 'Memory of files that are in use.', {
    v1: field(memoryStat, 'total_active_file'),
    v2: field('memory.stat', 'active_file'),
  }),
  gauge('container_memory_total_inactive_file_bytes', 'Memory of files that the kernel can take back.', {
    v1: field(memoryStat, 'total_inactive_file'),
    v2: field('memory.stat', 'inactive_file'),
  }),
  gauge('container_memory_usage_bytes', 'Memory that is used, with that of files.', {
    v1: number('memory/memory.usage_in_bytes'),
    v2: usage,
  }),
  gauge('container_memory_working_set_bytes', 'Memory that the kernel cannot take back at once.', {
    v1: workingSet(number('memory/memory.usage_in_bytes'), field(memoryStat, 'total_inactive_file')),
    v2: workingSet(usage, field('memory.stat', 'inactive_file')),
  }),
  counter('container_oom_events_total', 'How often a process was killed for want of memory.', {
    v1: (files) => files.field('memory/memory.oom_control', 'oom_kill') ?? 0,
    v2: (files) => files.field('memory.events', 'oom_kill') ?? 0,
  }),
  gauge(
    'container_processes',
    'Processes of the group itself.',
    both((files) => files.processes().length),
  ),
  gauge('container_spec_cpu_period', 'Period of the CPU quota, in microseconds.', {
    v1: number('cpu/cpu.cfs_period_us'),
    v2: cpuMax(1),
  }),
  gauge('container_spec_cpu_quota', 'CPU time in each period, in microseconds.', {
    v1: (files) => {
      const quota = files.number('cpu/cpu.cfs_quota_us') ?? -1;
      return quota > 0 ? quota : undefined;
    },
    v2: cpuMax(0),
  }),
  gauge('container_spec_cpu_shares', 'Part of the CPU where it is short.', {
    v1: number('cpu/cpu.shares'),
    v2: sharesOfWeight,
  }),
  gauge('container_spec_memory_limit_bytes', 'Memory limit; 0 for none.', {
    v1: limit('memory/memory.limit_in_bytes'),
    v2: limit('memory.max'),
  }),
  gauge('container_spec_memory_reservation_limit_bytes', 'Memory that is kept; 0 for none.', {
    v1: limit('memory/memory.soft_limit_in_bytes'),
    v2: limit('memory.low'),
  }),
  gauge('container_spec_memory_swap_limit_bytes', 'Limit of memory and swap; 0 for none.', {
    v1: (files) => limit('memory/memory.memsw.limit_in_bytes')(files) ?? 0,
    v2: (files) => limit('memory.swap.max')(files) ?? 0,
  }),
  ...several(taskStates, (state) => gauge('container_tasks_state', 'Not measured: 0.', both(constant(0)), { state })),
  gauge('container_threads', 'Threads.', { v1: number('pids/pids.current'), v2: number('pids.current') }),
  gauge('container_threads_max', 'How many threads there may be; 0 for any number.', {
    v1: limit('pids/pids.max'),
    v2: limit('pids.max'),
  }),
];

/** Rows of one family share it: a family is told of once. */
const families = new Map<string, Family>();
for (const { name, help, type } of rows) if (!families.has(name)) families.set(name, { name, help, type });

const more = {
  lastSeen: { name: 'container_last_seen', help: 'When the group was last looked at.', type: 'gauge' },
  startTime: { name: 'container_start_time_seconds', help: 'When the group was made.', type: 'gauge' },
  files: { name: 'container_file_descriptors', help: 'Files that its processes have open.', type: 'gauge' },
  sockets: { name: 'container_sockets', help: 'Sockets that its processes have open.', type: 'gauge' },
  ulimits: { name: 'container_ulimits_soft', help: 'Limits of its first process; -1 for none.', type: 'gauge' },
} as const satisfies Readonly<Record<string, Family>>;

export interface ShownGroup {
  readonly files: GroupFiles;
  readonly isV2: boolean;
  readonly labels: Labels;
  /** Milliseconds since 1970; of a container, when the runtime made it. */
  readonly startedAt: number | undefined;
  readonly nowMs: number;
}

/** Nothing of a group that is gone. */
export function addGroup(out: Exposition, { files, isV2, labels, startedAt, nowMs }: ShownGroup): void {
  if (files.text(isV2 ? 'cgroup.procs' : 'memory/cgroup.procs') === undefined) return;
  const add = (family: Family, value: number | undefined, further: Labels = {}): void =>
    out.add(family, { ...labels, ...further }, value, nowMs);
  for (const row of rows) add(families.get(row.name)!, (isV2 ? row.v2 : row.v1)(files), row.labels);
  add(more.lastSeen, Math.floor(nowMs / 1000));
  const madeAt = startedAt ?? files.madeAt();
  add(more.startTime, madeAt === undefined ? undefined : Math.floor(madeAt) / 1000);
  const { files: open, sockets } = files.openFiles();
  add(more.files, open);
  add(more.sockets, sockets);
  add(more.ulimits, openFilesLimit(files.ofProcess('limits')), { ulimit: 'max_open_files' });
}

function openFilesLimit(limits: string | undefined): number | undefined {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits ?? '') ?? [];
  return soft === undefined ? undefined : soft === 'unlimited' ? -1 : Number(soft);
}
