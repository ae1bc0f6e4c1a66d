/**
 * What other processes use, as Linux tells in /proc. @see {@link
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html | proc_pid_stat(5)}
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux shows the times of a process in hundredths of a second, whatever its own clock does. */
const microsecondsPerTick = 10_000;

export interface ProcessUsage {
  /** User and system time since the processes started. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

/** Of all of them together; undefined when there is none, one is gone, or the system has no /proc. */
export function usageOf(pids: readonly number[]): ProcessUsage | undefined {
  if (pids.length === 0) return undefined;
  try {
    const each = pids.map(usageOfOne);
    return {
      cpuMicroseconds: sum(each.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      residentBytes: sum(each.map(({ residentBytes }) => residentBytes)),
    };
  } catch {
    return undefined;
  }
}

function usageOfOne(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Field 2 is the program's name in brackets, which may contain anything; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
  return {
    cpuMicroseconds: Math.max(ticks, threadMicroseconds(pid)),
    residentBytes: memoryOf(pid)?.residentBytes ?? 0,
  };
}

export interface MemoryUsage {
  readonly residentBytes: number;
  /** The most that it was. */
  readonly peakBytes: number;
}

/** Undefined when the process is gone, or the system has no /proc. */
export function memoryOf(pid: number): MemoryUsage | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return { residentBytes: bytesIn(status, 'VmRSS'), peakBytes: bytesIn(status, 'VmHWM') };
  } catch {
    return undefined;
  }
}

const bytesIn = (status: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;

/**
 * In nanoseconds there, but of the threads that are there now: less than the truth where some have ended. 0 where the
 * kernel keeps none.
 */
function threadMicroseconds(pid: number): number {
  try {
    return (
      sum(
        readdirSync(`/proc/${pid}/task`).map((thread) =>
          Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
        ),
      ) / 1000
    );
  } catch {
    return 0;
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
