"""DOCUMENT: a script that gives what a page in the browser shows, as HTML."""

from __future__ import annotations

DOCUMENT = """
const [withFrames, withShadow] = arguments;
const kind = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
const root = document.documentElement;
if (!root) return kind;
if (!withFrames && !withShadow) return kind + root.outerHTML;
const inert = document.implementation.createHTMLDocument('');  // where copies load and run nothing
function inside(frame) {
  try { return frame.contentDocument && frame.contentDocument.body; } catch { return null; }
}
function boxed(frame, body) {
  const box = inert.createElement('div');
  for (const {name, value} of frame.attributes) if (name !== 'srcdoc') box.setAttribute(name, value);
  for (const each of body.childNodes) box.append(copied(each));
  return box;
}
function copied(node) {
  const body = withFrames && node.localName === 'iframe' ? inside(node) : null;
  if (body) return boxed(node, body);
  const copy = inert.importNode(node, node.localName === 'template');
  if (withShadow && node.shadowRoot) for (const each of node.shadowRoot.childNodes) copy.append(copied(each));
  if (node.localName !== 'template') for (const each of node.childNodes) copy.append(copied(each));
  return copy;
}
return kind + copied(root).outerHTML;
"""
"""Arguments: whether the bodies of frames of the page's own origin stand in place of the frames, and whether
the contents of open shadow roots stand in their hosts."""
