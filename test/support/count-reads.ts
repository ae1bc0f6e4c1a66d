/** How often a function looks at what it is given: the measure of work that does not depend on the machine. */

/** Reads of members and items, at any depth, while `run` has the value. Its result is no matter. */
export function readsDuring<T extends object>(value: T, run: (counted: T) => unknown): number {
  let reads = 0;
  const wrapped = new WeakMap<object, object>();
  const wrap = (target: object): object => {
    let proxy = wrapped.get(target);
    if (proxy === undefined) {
      proxy = new Proxy(target, {
        get(of, key) {
          reads++;
          const member = Reflect.get(of, key) as unknown;
          return typeof member === 'object' && member !== null ? wrap(member) : member;
        },
      });
      wrapped.set(target, proxy);
    }
    return proxy;
  };
  run(wrap(value) as T);
  return reads;
}
