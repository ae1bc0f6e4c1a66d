/**
 * All resource definitions, by group and resource. A resource that has none gets the rules that hold for every object.
 */
import { groupVersions, type ResourceInfo } from '../api/resources.ts';
import { definitions as admissionregistration } from './admissionregistration/index.ts';
import { definitions as apiextensions } from './apiextensions/index.ts';
import { definitions as apiregistration } from './apiregistration/index.ts';
import { definitions as apps } from './apps/index.ts';
import { autoscaling } from './autoscaling/index.ts';
import { definitions as batch } from './batch/index.ts';
import { definitions as certificates } from './certificates/index.ts';
import { coordination } from './coordination/index.ts';
import { core } from './core/index.ts';
import { definitions as discovery } from './discovery/endpoint-slices/index.ts';
import { definitions as flowcontrol } from './flowcontrol/index.ts';
import { defaultStrategy } from './generic/strategy.ts';
import { definitions as internal } from './internal/index.ts';
import { definitions as networking } from './networking/index.ts';
import { node } from './node/index.ts';
import { policy } from './policy/index.ts';
import { rbac } from './rbac/index.ts';
import { definitions as resource } from './resource/index.ts';
import { scheduling } from './scheduling/index.ts';
import { storage } from './storage/index.ts';
import { definitions as storagemigration } from './storagemigration/index.ts';
import type { ResourceDefinition } from './strategy.ts';

const lists: readonly (readonly ResourceDefinition[])[] = [
  admissionregistration,
  apiextensions,
  apiregistration,
  apps,
  autoscaling,
  batch,
  certificates,
  coordination,
  core,
  discovery,
  flowcontrol,
  internal,
  networking,
  node,
  policy,
  rbac,
  resource,
  scheduling,
  storage,
  storagemigration,
];

const defaultDefinition = (group: string, resource: string): ResourceDefinition => {
  const namespaced = resourcesOfGroup(group, resource)?.namespaced ?? false;
  return { group, resource, strategy: defaultStrategy(namespaced) };
};

const resourcesOfGroup = (group: string, resource: string): ResourceInfo | undefined =>
  groupVersions
    .filter((info) => info.group === group)
    .flatMap(({ resources }) => resources)
    .find(({ name }) => name === resource);

const key = (group: string, resource: string): string => `${group}/${resource}`;

const byResource = new Map(lists.flat().map((definition) => [key(definition.group, definition.resource), definition]));

export const definitionOf = (group: string, resource: string): ResourceDefinition =>
  byResource.get(key(group, resource)) ?? defaultDefinition(group, resource);

export const hasDefinition = (group: string, resource: string): boolean => byResource.has(key(group, resource));
