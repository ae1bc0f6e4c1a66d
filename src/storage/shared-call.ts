/**
 * Runs `call` once for all callers that ask before it is sent. A caller that asks while it is running waits for the
 * next call, so an answer is never older than the question. It is sent at the end of the event loop's tick: requests
 * that arrived in one tick share it. Until it is sent every caller gets the same promise.
 */
export function createSharedCall<T>(call: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  let running: Promise<unknown> = Promise.resolve();

  const send = async (): Promise<T> => {
    await running;
    await new Promise((resolve) => setImmediate(resolve));
    next = undefined;
    const sent = call();
    running = sent.catch(() => undefined);
    return sent;
  };

  return () => (next ??= send());
}

/** As `createSharedCall`, for each key. */
export function createSharedCalls<T>(call: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const calls = new Map<string, { ask: () => Promise<T>; asking: number }>();

  return (key) => {
    let shared = calls.get(key);
    if (shared === undefined) calls.set(key, (shared = { ask: createSharedCall(() => call(key)), asking: 0 }));
    const { ask } = shared;
    const answer = ask();
    shared.asking++;
    const leave = (): void => {
      if (--shared.asking === 0) calls.delete(key);
    };
    answer.then(leave, leave);
    return answer;
  };
}
