/** All resource definitions, by group and resource. A resource that has none gets the rules that hold for every object. */
import { definitions as apps } from './apps/index.ts';
import { definitions as pods } from './core/pods/index.ts';
import { definitions as podTemplates } from './core/podtemplates/index.ts';
import { definitions as replicationControllers } from './core/replicationcontrollers/index.ts';
import type { ResourceDefinition } from './strategy.ts';

const lists: readonly (readonly ResourceDefinition[])[] = [apps, pods, podTemplates, replicationControllers];

const key = (group: string, resource: string): string => `${group}/${resource}`;

const byResource = new Map(lists.flat().map((definition) => [key(definition.group, definition.resource), definition]));

export const definitionOf = (group: string, resource: string): ResourceDefinition => byResource.get(key(group, resource)) ?? { group, resource, strategy: {} };

export const hasDefinition = (group: string, resource: string): boolean => byResource.has(key(group, resource));
