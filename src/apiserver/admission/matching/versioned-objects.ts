/** The objects of a write as JSON, in the versions that webhooks and policies ask for: each is made once. */
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { JsonObject } from '../../../machinery/value.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';

export class VersionedObjects {
  readonly #attributes: AdmissionAttributes;
  readonly #new = new Map<string, Promise<JsonObject>>();
  readonly #old = new Map<string, Promise<JsonObject>>();

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** Shared, not to be changed. Undefined where the write has none. */
  object(form: ResourceForm): Promise<JsonObject | undefined> {
    return this.#shown(this.#new, this.#attributes.object, form);
  }

  oldObject(form: ResourceForm): Promise<JsonObject | undefined> {
    return this.#shown(this.#old, this.#attributes.oldObject, form);
  }

  /** The object was changed. */
  changed(): void {
    this.#new.clear();
  }

  #shown(
    known: Map<string, Promise<JsonObject>>,
    object: KubeObject | undefined,
    form: ResourceForm,
  ): Promise<JsonObject | undefined> {
    if (object === undefined) return Promise.resolve(undefined);
    const { group, version, kind } = form.kind;
    const key = `${group}/${version} ${kind}`;
    let shown = known.get(key);
    if (shown === undefined) known.set(key, (shown = this.#attributes.forms.show(object, form)));
    return shown;
  }
}
