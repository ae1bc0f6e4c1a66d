/** Those who are told of the changes that an informer sees. */

/** Objects are shared and must not be changed. What is thrown is logged, and does not keep others from being told. */
export interface InformerHandler<T> {
  /** @param isInitial the object was there when the informer began */
  onAdd?(object: T, isInitial: boolean): void;
  /** Both are the same at a resync. */
  onUpdate?(before: T, after: T): void;
  /**
   * @param last what handlers were told last of the object
   * @param final the object as it was when it was deleted; undefined when the deletion was missed, and only its absence
   *   was noticed: `last` can be older then
   */
  onDelete?(last: T, final: T | undefined): void;
}

/** For those to whom it does not matter what kind of change it is. */
export const onEveryChange = <T>(
  onChange: (before: T | undefined, after: T | undefined) => void,
): InformerHandler<T> => ({
  onAdd: (object) => onChange(undefined, object),
  onUpdate: onChange,
  onDelete: (last) => onChange(last, undefined),
});

export interface HandlerRegistration {
  /** The handler is not called any more. */
  remove(): void;
}

interface Registered<T> {
  readonly handler: InformerHandler<T>;
  isRemoved: boolean;
}

export class Handlers<T> {
  /** Never changed: a handler that comes or goes during a call does not disturb it. */
  #registered: readonly Registered<T>[] = [];
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(handler: InformerHandler<T>, present: Iterable<T>): HandlerRegistration {
    const registered: Registered<T> = { handler, isRemoved: false };
    const before = [...present];
    this.#registered = [...this.#registered, registered];
    for (const object of before) this.#tellAdded(registered, object, true);
    return {
      remove: () => {
        registered.isRemoved = true;
        this.#registered = this.#registered.filter((each) => each !== registered);
      },
    };
  }

  added(object: T, isInitial: boolean): void {
    for (const each of this.#registered) this.#tellAdded(each, object, isInitial);
  }

  updated(before: T, after: T): void {
    for (const { handler, isRemoved } of this.#registered) {
      if (isRemoved) continue;
      try {
        handler.onUpdate?.(before, after);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }

  deleted(last: T, final: T | undefined): void {
    for (const { handler, isRemoved } of this.#registered) {
      if (isRemoved) continue;
      try {
        handler.onDelete?.(last, final);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }

  #tellAdded({ handler, isRemoved }: Registered<T>, object: T, isInitial: boolean): void {
    if (isRemoved) return;
    try {
      handler.onAdd?.(object, isInitial);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}
