/**
 * The stages of one kind, by what they act on: each lane has at most one stage that is due for an object, so that what
 * a container does in one lane does not hold up another.
 *
 * Stages of a file come first. The built-in ones of a lane count where none of the file matches.
 */
import type { JsonObject } from '../../../machinery/value.ts';
import type { ContainerChange } from './document.ts';
import { chooseStage, type Stage } from './stage.ts';

/** `object`: stages that write the object, or the events about it. The others are about containers or the node. */
export type LaneName = string;

export interface Lane {
  readonly name: LaneName;
  /** What its stages do with containers; absent for those that do not. */
  readonly change: Pick<ContainerChange, 'state' | 'roles'> | undefined;
  readonly fromFile: readonly Stage[];
  readonly builtIn: readonly Stage[];
}

/** A stage that an object goes through at a time, in milliseconds since 1970. */
export interface DueStage {
  readonly stage: Stage;
  readonly atMs: number;
}

export const objectLane = 'object';

export class StageLanes {
  readonly lanes: readonly Lane[];
  readonly object: Lane;

  constructor(fromFile: readonly Stage[], builtIn: readonly Stage[]) {
    const names = new Set([objectLane, ...[...fromFile, ...builtIn].map(laneOf)]);
    const all = [...names].map((name): Lane => {
      const isHere = (stage: Stage): boolean => laneOf(stage) === name;
      const stages = { fromFile: fromFile.filter(isHere), builtIn: builtIn.filter(isHere) };
      return { name, change: changeOf([...stages.fromFile, ...stages.builtIn][0]), ...stages };
    });
    this.object = all[0]!;
    this.lanes = all.slice(1);
  }

  /** Whether objects of the kind are read whole: selectors and templates of a file may ask for any member. */
  get readsAll(): boolean {
    return [this.object, ...this.lanes].some(({ fromFile }) => fromFile.length > 0);
  }
}

/** The stage that the object goes through next in that lane. */
export function nextStage({ fromFile, builtIn }: Lane, object: JsonObject, random: () => number): Stage | undefined {
  const matching = fromFile.filter((stage) => stage.matches(object));
  if (matching.length > 0) return chooseStage(matching, object, random);
  return chooseStage(
    builtIn.filter((stage) => stage.matches(object)),
    object,
    random,
  );
}

const changeOf = (stage: Stage | undefined): ContainerChange | undefined =>
  stage?.steps.flatMap((step) => (step.kind === 'containers' ? [step.change] : []))[0];

function laneOf(stage: Stage): LaneName {
  const [first] = stage.steps;
  if (stage.steps.some(({ kind }) => kind !== 'containers' && kind !== 'node')) return objectLane;
  if (first?.kind === 'node') return 'node';
  const change = changeOf(stage);
  return change === undefined ? objectLane : `${change.state}/${rolesOf(change).join()}`;
}

/** The roles of containers that a change is about. */
export const rolesOf = ({ state, roles }: Pick<ContainerChange, 'state' | 'roles'>): readonly string[] =>
  roles ?? (state === 'Terminated' ? ['main'] : ['init', 'sidecar', 'main', 'ephemeral']);
