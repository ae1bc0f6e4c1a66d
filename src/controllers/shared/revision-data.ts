/**
 * What a ControllerRevision carries: a patch that puts a pod template back.
 *
 * kubectl and other controller managers compare it byte by byte, so it is written as Go writes it: sorted, and with the
 * members that JSON always has, such as `"creationTimestamp":null`.
 */
import { codecs } from '../../api/codecs.ts';
import type { ControllerRevision } from '../../api/gen/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { JsonBody } from '../../machinery/json/body.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import { isObject, type JsonObject, type JsonValue, RawJson } from '../../machinery/value.ts';

/** The text of each template and revision that was asked for; objects of informers are never changed. */
const texts = new WeakMap<object, string>();
const templates = new WeakMap<ControllerRevision, PodTemplateSpec>();
const templateType = 'core/v1.PodTemplateSpec';

/** The data of a revision with this template. */
export function textOfTemplate(template: PodTemplateSpec): string {
  return remembered(template, () => {
    const codec = codecs.of(templateType);
    const { value } = codec.normalize(template as unknown as JsonObject);
    const members = new JsonBody(codec.toJson(value)).value().value as JsonObject;
    return stringifyJson({ spec: { template: { ...members, $patch: 'replace' } } });
  });
}

export function textOfRevision(revision: ControllerRevision): string {
  return remembered(revision, () => {
    const { data } = revision as { readonly data?: unknown };
    return data instanceof RawJson ? data.text : stringifyJson((data ?? null) as JsonValue);
  });
}

function remembered(object: object, make: () => string): string {
  let text = texts.get(object);
  if (text === undefined) texts.set(object, (text = make()));
  return text;
}

/** Throws for data that has no template. */
export function templateOfRevision(revision: ControllerRevision): PodTemplateSpec {
  let template = templates.get(revision);
  if (template === undefined) templates.set(revision, (template = readTemplate(revision)));
  return template;
}

function readTemplate(revision: ControllerRevision): PodTemplateSpec {
  const data = new JsonBody(textOfRevision(revision)).value().value;
  const spec = isObject(data) ? data['spec'] : undefined;
  const template = isObject(spec) ? spec['template'] : undefined;
  if (!isObject(template))
    throw new Error(`the revision ${revision.metadata.namespace}/${revision.metadata.name} has no pod template`);
  const { $patch: _, ...members } = template;
  return codecs.of(templateType).normalize(members).value as unknown as PodTemplateSpec;
}
