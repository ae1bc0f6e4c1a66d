/** The objects of a write as JSON, in the versions that webhooks and policies ask for: each is made once. */
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { JsonObject } from '../../../machinery/value.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';

export class VersionedObjects {
  readonly #attributes: AdmissionAttributes;
  readonly #new: Made<JsonObject>[] = [];
  readonly #old: Made<JsonObject>[] = [];
  readonly #newText: Made<Buffer>[] = [];
  readonly #oldText: Made<Buffer>[] = [];

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** Shared, not to be changed. Undefined where the write has none. */
  async object(form: ResourceForm): Promise<JsonObject | undefined> {
    return this.#shown(this.#new, this.#attributes.object, form);
  }

  async oldObject(form: ResourceForm): Promise<JsonObject | undefined> {
    return this.#shown(this.#old, this.#attributes.oldObject, form);
  }

  /** The same as JSON text in UTF-8. */
  async objectText(form: ResourceForm): Promise<Buffer | undefined> {
    return this.#written(this.#newText, this.#attributes.object, form);
  }

  async oldObjectText(form: ResourceForm): Promise<Buffer | undefined> {
    return this.#written(this.#oldText, this.#attributes.oldObject, form);
  }

  /** The object was changed. */
  changed(): void {
    this.#new.length = 0;
    this.#newText.length = 0;
  }

  #shown(
    made: Made<JsonObject>[],
    object: KubeObject | undefined,
    form: ResourceForm,
  ): Promise<JsonObject> | undefined {
    return object && (ofForm(made, form) ?? keep(made, form, this.#attributes.forms.show(object, form)));
  }

  #written(made: Made<Buffer>[], object: KubeObject | undefined, form: ResourceForm): Promise<Buffer> | undefined {
    return object && (ofForm(made, form) ?? keep(made, form, this.#attributes.forms.write(object, form)));
  }
}

/** Of a form. There are one or two in a request, and hardly ever more. */
interface Made<T> {
  readonly kind: ResourceForm['kind'];
  readonly object: Promise<T>;
}

function ofForm<T>(made: readonly Made<T>[], { kind }: ResourceForm): Promise<T> | undefined {
  for (const one of made) if (isSameKind(one.kind, kind)) return one.object;
  return undefined;
}

function keep<T>(made: Made<T>[], { kind }: ResourceForm, object: Promise<T>): Promise<T> {
  made.push({ kind, object });
  return object;
}

const isSameKind = (a: ResourceForm['kind'], b: ResourceForm['kind']): boolean =>
  a === b || (a.kind === b.kind && a.version === b.version && a.group === b.group);
