/** What a `Stage` document can have. */
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/value.ts';
import { orchVersion } from './document.ts';

/** Throws with the place of what does not fit. */
type Check = (value: JsonValue, place: string) => void;

/** Throws for a document that has what a stage cannot have, or that this version does not support. */
export function checkStage(document: JsonObject): void {
  const isOurs = document['apiVersion'] === orchVersion;
  stageSpec(isOurs)(document['spec'] ?? null, 'spec');
}

const typed =
  (type: 'string' | 'boolean', name: string): Check =>
  (value, place) => {
    if (typeof value !== type) throw new Error(`${place}: must be ${name}`);
  };
const text = typed('string', 'a string');
const flag = typed('boolean', 'true or false');

const integer: Check = (value, place) => {
  if (!Number.isInteger(value)) throw new Error(`${place}: must be an integer`);
};
const amount: Check = (value, place) => {
  integer(value, place);
  if (Number(value) < 0) throw new Error(`${place}: must be greater than or equal to 0`);
};

const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, place) => {
    if (typeof value !== 'string' || !allowed.includes(value))
      throw new Error(`${place}: must be one of ${allowed.join(', ')}`);
  };

const list =
  (check: Check): Check =>
  (value, place) => {
    if (!Array.isArray(value)) throw new Error(`${place}: must be a list`);
    for (const [index, element] of value.entries()) check(element, `${place}[${index}]`);
  };

const texts: Check = (value, place) => {
  if (!isObject(value)) throw new Error(`${place}: must be an object`);
  for (const [key, member] of Object.entries(value)) text(member ?? null, `${place}[${key}]`);
};

const refused =
  (why: string): Check =>
  (_, place) => {
    throw new Error(`${place}: ${why}`);
  };
const unsupported = refused('is not supported');
const oursAlone = refused(`needs apiVersion ${orchVersion}`);

const struct =
  (members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, place) => {
    if (!isObject(value)) throw new Error(`${place}: must be an object`);
    for (const name of required) if (value[name] === undefined) throw new Error(`${place}.${name}: is required`);
    for (const [name, member] of Object.entries(value)) {
      if (!Object.hasOwn(members, name)) throw new Error(`${place}.${name}: unknown field`);
      if (member !== null && member !== undefined) members[name]!(member, `${place}.${name}`);
    }
  };

const requirement = { key: text, operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), values: list(text) };
const source = struct({ expressionFrom: text, jq: struct({ expression: text }), cel: unsupported });

const selector = struct({
  matchLabels: texts,
  matchAnnotations: texts,
  matchExpressions: list(struct({ ...requirement, jq: struct(requirement), cel: unsupported })),
});

const delay = struct({
  durationMilliseconds: amount,
  durationFrom: source,
  jitterDurationMilliseconds: amount,
  jitterDurationFrom: source,
});

const event = struct({ type: oneOf('Normal', 'Warning'), reason: text, message: text });
const finalizers = struct({
  add: list(struct({ value: text })),
  remove: list(struct({ value: text })),
  empty: flag,
});
const patch = struct({
  subresource: text,
  root: text,
  template: text,
  type: oneOf('json', 'merge', 'strategic'),
  impersonation: unsupported,
});

const containers = struct(
  {
    state: oneOf('Running', 'Terminated', 'Stopped'),
    roles: list(oneOf('init', 'sidecar', 'main', 'ephemeral')),
    names: list(text),
    exitCode: integer,
    reason: text,
    message: text,
  },
  ['state'],
);
const node = struct({ state: oneOf('Alive', 'Dead') }, ['state']);

function stageSpec(isOurs: boolean): Check {
  const simulated = { containers: isOurs ? containers : oursAlone, node: isOurs ? node : oursAlone };
  const step = { event, finalizers, delete: flag, ...simulated };
  return struct(
    {
      resourceRef: struct({ apiGroup: oneOf('v1', ''), kind: oneOf('Pod', 'Node') }, ['kind']),
      selector,
      weight: amount,
      weightFrom: source,
      delay,
      next: struct({
        ...step,
        statusTemplate: text,
        statusSubresource: oneOf('status'),
        statusPatchAs: unsupported,
        patches: list(patch),
      }),
      steps: list(struct({ ...step, patch, apply: unsupported })),
      immediateNextStage: flag,
    },
    ['resourceRef'],
  );
}
