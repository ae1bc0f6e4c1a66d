/** The objects of a write as JSON, in the versions that webhooks and policies ask for: each is made once. */
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { JsonObject } from '../../../machinery/value.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';

export class VersionedObjects {
  readonly #attributes: AdmissionAttributes;
  readonly #new = new Map<string, Promise<JsonObject>>();
  readonly #old = new Map<string, Promise<JsonObject>>();
  readonly #newText = new Map<string, Promise<Buffer>>();
  readonly #oldText = new Map<string, Promise<Buffer>>();

  readonly #show = (object: KubeObject, form: ResourceForm): Promise<JsonObject> =>
    this.#attributes.forms.show(object, form);
  readonly #write = (object: KubeObject, form: ResourceForm): Promise<Buffer> =>
    this.#attributes.forms.write(object, form);

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** Shared, not to be changed. Undefined where the write has none. */
  object(form: ResourceForm): Promise<JsonObject | undefined> {
    return once(this.#new, this.#attributes.object, form, this.#show);
  }

  oldObject(form: ResourceForm): Promise<JsonObject | undefined> {
    return once(this.#old, this.#attributes.oldObject, form, this.#show);
  }

  /** The same as JSON text in UTF-8. */
  objectText(form: ResourceForm): Promise<Buffer | undefined> {
    return once(this.#newText, this.#attributes.object, form, this.#write);
  }

  oldObjectText(form: ResourceForm): Promise<Buffer | undefined> {
    return once(this.#oldText, this.#attributes.oldObject, form, this.#write);
  }

  /** The object was changed. */
  changed(): void {
    this.#new.clear();
    this.#newText.clear();
  }
}

/** @param make for a form that is not known yet */
function once<T>(
  known: Map<string, Promise<T>>,
  object: KubeObject | undefined,
  form: ResourceForm,
  make: (object: KubeObject, form: ResourceForm) => Promise<T>,
): Promise<T | undefined> {
  if (object === undefined) return Promise.resolve(undefined);
  const { group, version, kind } = form.kind;
  const key = `${group}/${version} ${kind}`;
  let made = known.get(key);
  if (made === undefined) known.set(key, (made = make(object, form)));
  return made;
}
