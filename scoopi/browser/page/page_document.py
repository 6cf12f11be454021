"""CONDITIONS, DOCUMENT and READING: scripts that examine a page in the browser and return it as HTML."""

from __future__ import annotations

CONDITIONS = """
const [selector, gone, text] = arguments;
return (!selector || document.querySelector(selector) !== null)
    && (!gone || document.querySelector(gone) === null)
    && (!text || (document.body !== null && document.body.innerText.includes(text)));
"""
"""Returns whether conditions hold. Arguments: a selector that must be found, one that must not, a text that
must be shown; each may be empty."""
DOCUMENT = """
const [withFrames, withShadow, others, documents] = arguments;
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
  const other = others ? others.indexOf(node) : -1;
  if (other >= 0)
    return boxed(node, new DOMParser().parseFromString(documents[other], 'text/html').body);
  const body = withFrames && node.localName === 'iframe' ? inside(node) : null;
  if (body) return boxed(node, body);
  const copy = inert.importNode(node, node.localName === 'template');
  if (withShadow && node.shadowRoot) for (const each of node.shadowRoot.childNodes) copy.append(copied(each));
  if (node.localName !== 'template') for (const each of node.childNodes) copy.append(copied(each));
  return copy;
}
return kind + copied(root).outerHTML;
"""
"""Returns the document as HTML. Arguments: whether to put the bodies of frames that can be read from here in
place of the frames; whether to put the contents of open shadow roots into their hosts; further frames, and
the documents that they show."""
OTHER_FRAMES = """
const [withShadow] = arguments;
function all(root) {
  const found = [...root.querySelectorAll('iframe')];
  if (withShadow)
    for (const each of root.querySelectorAll('*')) if (each.shadowRoot) found.push(...all(each.shadowRoot));
  return found;
}
function isWhole(frame) {
  try { return all(frame.contentDocument).every(isWhole); } catch { return false; }
}
return all(document).filter(frame => !isWhole(frame));
"""
"""The frames that cannot be read wholly from here, because they, or frames in them, are of another origin."""
_ERROR = "/^(chrome-error:|about:(?!blank|srcdoc))/.test(document.documentURI)"
IN_FRAME = f"""
if ({_ERROR}) return null;
const [withFrames, withShadow] = arguments;
const others = (function () {{ {OTHER_FRAMES} }})(withShadow);
if (others.length) return {{others}};
return {{document: (function () {{ {DOCUMENT} }})(withFrames, withShadow)}};
"""
"""Returns {document}, what a frame shows, or, if there are any, {others}, the frames in it that cannot be
read from it; null if the browser shows a page of its own there, as the frame was blocked or was not loaded.
Arguments: the first two of DOCUMENT."""
ERROR = (
    f"if (!{_ERROR}) return '';"
    "const code = document.querySelector('.error-code');"
    "const [, reason] = /[?&]e=(\\w+)/.exec(document.documentURI) ?? [];"
    "return code?.textContent || reason || 'no page';"
)
"""Returns the browser's name of the fault if a page was not loaded, such as `ERR_CONNECTION_REFUSED`; else an
empty text."""

READING = (
    "const holds = function () {"
    + CONDITIONS
    + "}; const read = function () {"
    + DOCUMENT
    + """};
const [words, ...parts] = arguments;
if (!holds(...words)) return null;
const body = read(...parts);
const [entry] = performance.getEntriesByType('navigation');
const resources = performance.getEntriesByType('resource');
const isFramed = resources.length >= 250  // the list is full, and may lack some
  || resources.some(each => /frame|object|embed/.test(each.initiatorType));
const found = {
  body,
  shown: location.href,
  url: entry ? entry.name : '',
  status: entry && entry.responseStatus || 0,
  wentBack: !!entry && entry.type === 'back_forward',
  kind: document.contentType,
  isSpare: false,
  isError: """
    + _ERROR
    + """,
};
try {
  const isTop = !isFramed && window === top && window.length === 0;
  found.isSpare = isTop && window.name === '' && sessionStorage.length === 0;
  if (found.isSpare) {
    const ignored = () => {};
    Storage.prototype.setItem = ignored;
    Object.defineProperty(Document.prototype, 'cookie', {get: () => '', set: ignored});
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'name'])
      Object.defineProperty(window, name, {value: {}});
  }
} catch { found.isSpare = false; }  // a page that may have no storage
return found;
"""
)
"""Returns the document and facts about it, as an object; null unless the conditions hold.
Arguments: those of CONDITIONS as a list, then those of DOCUMENT. `shown` is the address of the document,
`url` that of its navigation, `status` that of the response (0 if the browser does not know it), `kind` its
content type; `wentBack`: it was reached by going back. `isSpare`: it has nothing that its tab would keep for
the next page, and from now on cannot leave anything there, as pages like to do when they are left."""
