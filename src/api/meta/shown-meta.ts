/** The metadata of an object as error messages show it, in Go syntax. */
import { goList, type GoSyntax, goStringMap, goStrings } from '../../machinery/go-quote.ts';
import { goDate, goFields, goPointer, goText } from '../../machinery/go-struct.ts';
import type { ManagedFieldsEntry, ObjectMeta } from '../../machinery/object-meta.ts';
import { shownOwners } from './owner-references.ts';

export const shownMeta = (meta: ObjectMeta): GoSyntax =>
  goFields('v1.ObjectMeta', {
    Name: goText(meta.name),
    GenerateName: goText(meta.generateName),
    Namespace: goText(meta.namespace),
    SelfLink: goText(meta.selfLink),
    UID: goText(meta.uid),
    ResourceVersion: goText(meta.resourceVersion),
    Generation: String(meta.generation ?? 0),
    CreationTimestamp: goDate(meta.creationTimestamp),
    DeletionTimestamp: shownTime(meta.deletionTimestamp),
    DeletionGracePeriodSeconds: goPointer('int64', meta.deletionGracePeriodSeconds),
    Labels: goStringMap(meta.labels).text,
    Annotations: goStringMap(meta.annotations).text,
    OwnerReferences:
      meta.ownerReferences === undefined ? '[]v1.OwnerReference(nil)' : shownOwners(meta.ownerReferences).text,
    Finalizers: goStrings(meta.finalizers).text,
    ManagedFields:
      meta.managedFields === undefined
        ? '[]v1.ManagedFieldsEntry(nil)'
        : goList('[]v1.ManagedFieldsEntry', meta.managedFields, (entry) => shownEntry(entry).text).text,
  });

const shownTime = (time: string | undefined): string => (time === undefined ? '<nil>' : goDate(time));

const shownEntry = (entry: ManagedFieldsEntry): GoSyntax =>
  goFields('v1.ManagedFieldsEntry', {
    Manager: goText(entry.manager),
    Operation: goText(entry.operation),
    APIVersion: goText(entry.apiVersion),
    Time: shownTime(entry.time),
    FieldsType: goText(entry.fieldsType),
    FieldsV1: goPointer('v1.FieldsV1', entry.fieldsV1),
    Subresource: goText(entry.subresource),
  });
