import { describe, expect, test } from 'vitest';
import { HtmlLinks } from './html-links.ts';

const replaced = (...pieces: string[]): string => {
  const links = new HtmlLinks((url) => (url.startsWith('/') ? `/p${url}` : url));
  return pieces.map((piece) => links.write(piece)).join('') + links.end();
};

describe('links in HTML', () => {
  test.each([
    {
      name: 'with double quotes',
      html: '<a class=x href="/a?b=c">t</a>',
      expected: '<a class=x href="/p/a?b=c">t</a>',
    },
    { name: 'with single quotes', html: "<IMG SRC = '/a'>", expected: "<IMG SRC = '/p/a'>" },
    { name: 'without quotes', html: '<form action=/a/b method=post>', expected: '<form action=/p/a/b method=post>' },
    { name: 'in a tag that closes itself', html: '<link href="/a"/>', expected: '<link href="/p/a"/>' },
    { name: 'that are relative', html: '<a href="a/b">', expected: '<a href="a/b">' },
    {
      name: 'in attributes that are no links',
      html: '<a title="/a" data-href="/b">',
      expected: '<a title="/a" data-href="/b">',
    },
    { name: 'of elements without links', html: '<p href="/a">', expected: '<p href="/a">' },
    {
      name: 'in comments',
      html: '<!-- <a href="/a"> --><a href="/b">',
      expected: '<!-- <a href="/a"> --><a href="/p/b">',
    },
    {
      name: 'in scripts',
      html: '<script src="/a">if (x</a/) "<a href=\'/b\'>"</script><a href="/c">',
      expected: '<script src="/p/a">if (x</a/) "<a href=\'/b\'>"</script><a href="/p/c">',
    },
    { name: 'behind a sign that opens no tag', html: '1 < 2 <a href="/a">', expected: '1 < 2 <a href="/p/a">' },
    { name: 'of a tag that does not end', html: '<a href="/a"', expected: '<a href="/a"' },
    {
      name: 'after a value with a sign of a tag',
      html: '<a title="a>b" href="/a">',
      expected: '<a title="a>b" href="/p/a">',
    },
  ])('Links $name are what they have to be, however the text is cut', ({ html, expected }) => {
    expect(replaced(html)).toBe(expected);
    expect(replaced(...html)).toBe(expected);
    for (let i = 1; i < html.length; i++) expect(replaced(html.slice(0, i), html.slice(i))).toBe(expected);
  });

  test('A tag without an end is not waited for beyond 64 KiB', () => {
    const links = new HtmlLinks((url) => url);
    let handedOn = 0;
    for (let i = 0; i < 100; i++) {
      handedOn += links.write(i === 0 ? '<a href="' : 'x'.repeat(1024)).length;
      expect(i * 1024 - handedOn).toBeLessThan(70 * 1024);
    }
    expect(handedOn).toBeGreaterThan(0);
  });
});
