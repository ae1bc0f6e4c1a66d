/** Label and field selectors of a request as a selection of objects. */
import { badRequest } from '../../machinery/status.ts';
import {
  fieldMatcher,
  fieldSelectorSteps,
  type FieldTerm,
  parseFieldSelector,
} from '../../machinery/field-selector.ts';
import { equalities, matchesLabels, type Requirements } from '../../machinery/label-selector.ts';
import { runCooperatively } from '../../machinery/cooperative-scheduling.ts';
import { labelSelectorSteps, parseLabelSelector } from '../../machinery/label-selector-text.ts';
import type { ObjectAttributes, Selection } from '../../storage/objects.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ServedResource } from '../served/served-resource.ts';

export interface RequestSelection {
  readonly selection: Selection;
  /** Whether anything but the namespace restricts it: then remaining items are not counted. */
  readonly hasSelector: boolean;
}

/** Throws 400 for a selector that cannot be read, or names a field the kind has not. */
export async function selectionOf(served: ServedResource, request: ApiRequest): Promise<RequestSelection> {
  const namespace =
    served.info.namespaced && request.info.namespace !== '' ? { namespace: request.info.namespace } : {};
  const labelText = request.query.get('labelSelector') ?? '';
  const fieldText = request.query.get('fieldSelector') ?? '';
  const pathName = request.info.parts[1];
  const labels = labelText === '' ? undefined : await parseLabels(labelText);
  const fields = fieldText === '' ? undefined : await parseFields(fieldText, served);
  if (labels === undefined && fields === undefined && pathName === undefined)
    return { selection: namespace, hasSelector: false };
  const name = fields?.equals.get('metadata.name') ?? pathName;
  if (
    pathName !== undefined &&
    fields?.equals.get('metadata.name') !== undefined &&
    fields.equals.get('metadata.name') !== pathName
  ) {
    throw badRequest(`fieldSelector metadata.name doesn't match requested name`);
  }
  const matches = (attributes: ObjectAttributes): boolean =>
    (fields === undefined || fields.matches(attributes)) &&
    (labels === undefined || matchesLabels(labels, attributes.labels));
  const fieldEquals =
    fields === undefined ? undefined : new Map([...fields.equals].filter(([field]) => !field.startsWith('metadata.')));
  return {
    selection: {
      ...namespace,
      ...(name === undefined ? {} : { name }),
      ...(fieldEquals === undefined || fieldEquals.size === 0 ? {} : { fieldEquals }),
      ...(labels === undefined ? {} : { labelEquals: equalities(labels) }),
      matches,
      matchesKey: JSON.stringify([labelText, fieldText]),
    },
    hasSelector: true,
  };
}

/** Characters of a selector that is read at once. */
const shortSelector = 16_384;

async function parseLabels(text: string): Promise<Requirements> {
  try {
    return text.length <= shortSelector ? parseLabelSelector(text) : await runCooperatively(labelSelectorSteps(text));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

interface Fields {
  readonly equals: ReadonlyMap<string, string>;
  matches(attributes: ObjectAttributes): boolean;
}

/** Undefined where nothing is asked for. */
async function parseFields(text: string, served: ServedResource): Promise<Fields | undefined> {
  const requirements = await readFields(text);
  if (requirements.length === 0) return undefined;
  const known = new Set(served.info.storage?.fieldSelectors ?? ['metadata.name', 'metadata.namespace']);
  for (const { field } of requirements) {
    if (!known.has(field)) throw badRequest(unknownField(served, field));
  }
  const equals = new Map(
    requirements.filter(({ operator }) => operator === '=').map(({ field, value }) => [field, value]),
  );
  const matches = fieldMatcher(requirements);
  return {
    equals,
    matches: (attributes) => matches((field) => fieldValue(attributes, field)),
  };
}

async function readFields(text: string): Promise<readonly FieldTerm[]> {
  try {
    return text.length <= shortSelector ? parseFieldSelector(text) : await runCooperatively(fieldSelectorSteps(text));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

const fieldValue = (attributes: ObjectAttributes, field: string): string =>
  field === 'metadata.name'
    ? attributes.name
    : field === 'metadata.namespace'
      ? attributes.namespace
      : (attributes.fields.get(field) ?? '');

/** Kinds with selectors of their own say it in other words than the rest. */
function unknownField({ info, servedVersion }: ServedResource, field: string): string {
  const own =
    servedVersion.custom !== undefined ||
    (info.storage?.fieldSelectors.some((name) => !name.startsWith('metadata.')) ?? false);
  return own
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
