import { describe, expect, test } from 'vitest';
import { imageTag } from './image-name.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('the tag of an image', () => {
  test.each<[name: string, image: string, tag: string | undefined]>([
    ['is the one given', 'nginx:1.25', '1.25'],
    ['is latest when none is given', 'nginx', 'latest'],
    ['is not the port of the registry', 'registry:5000/nginx', 'latest'],
    ['follows a registry with a port', 'registry:5000/team/nginx:2', '2'],
    ['is none for a digest alone', `nginx@${digest}`, undefined],
    ['stands beside a digest', `nginx:latest@${digest}`, 'latest'],
    ['is none when the digest is too short', `nginx:latest@sha256:${'a'.repeat(40)}`, undefined],
    ['is none for an empty name', '', undefined],
    ['is none for capitals in the repository', 'Nginx:1', undefined],
    ['is found behind a host in capitals', 'Host/nginx:1', '1'],
    ['is none for capitals behind a host', 'example.com/Nginx:1', undefined],
    ['is none for what could be an image id', 'a'.repeat(64), undefined],
    ['is none with spaces', ' nginx ', undefined],
  ])('The tag of an image %s', (_, image, tag) => expect(imageTag(image)).toBe(tag));
});
