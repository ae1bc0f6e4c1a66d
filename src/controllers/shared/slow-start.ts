/**
 * Does the same so many times, in groups of 1, 2, 4 and so on, and ends after the first group with a failure: when a
 * quota or an admission plugin refuses the first one, it is not asked a thousand times.
 *
 * @returns how many succeeded, and the first failure
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly failure: unknown }> {
  let done = 0;
  for (let group = Math.min(count, 1); group > 0; group = Math.min(2 * group, count - done)) {
    const first = done;
    const results = await Promise.allSettled(Array.from({ length: group }, (_, index) => work(first + index)));
    const failures = results.filter((result) => result.status === 'rejected');
    if (failures.length > 0) return { succeeded: done + group - failures.length, failure: failures[0]!.reason };
    done += group;
  }
  return { succeeded: done, failure: undefined };
}
