/* seen_text: builds the visible, the own or the raw text of an element. */
#include "seen_text.h"

static const char *const BLOCKS[] = {
    "address", "article",  "aside",    "audio",    "blockquote", "body",    "canvas", "caption", "center",
    "col",     "colgroup", "dd",       "del",      "details",    "div",     "dl",     "dt",      "fieldset",
    "figcaption", "figure", "footer",  "form",     "frame",      "frameset", "h1",    "h2",      "h3",
    "h4",      "h5",       "h6",       "head",     "header",     "hgroup",  "hr",     "html",    "ins",
    "li",      "link",     "main",     "math",     "menu",       "meta",    "nav",    "noframes", "noscript",
    "ol",      "p",        "plaintext", "pre",     "script",     "section", "style",  "svg",     "table",
    "tbody",   "td",       "template", "tfoot",    "th",         "thead",   "title",  "tr",      "ul",
    "video"};

static bool is_block(const xmlNode *node)
{
    size_t low = 0, high = sizeof(BLOCKS) / sizeof(*BLOCKS);
    if (node->type != XML_ELEMENT_NODE || node->ns != NULL) return false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp((const char *)node->name, BLOCKS[middle]);
        if (order == 0) return true;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return false;
}

/* Whether white space of a text can be collapsed: it has no control characters and no `<pre>` ancestor, or is plain. */
static bool can_collapse(const xmlNode *text)
{
    bool is_plain = true;
    const unsigned char *start = text->content;
    for (const unsigned char *at = start; *at; at++) {
        if (*at < ' ' && (*at < '\t' || *at > '\r' || *at == '\v')) return false;
        if (*at > '~' || *at < ' ' || (*at == ' ' && (at == start || at[1] == ' ' || !at[1]))) is_plain = false;
    }
    const xmlNode *above = text->parent;
    for (int level = 0; !is_plain && level < PRESERVING_LEVELS && above != NULL; level++, above = above->parent)
        if (above->type == XML_ELEMENT_NODE && preserves_blanks(above)) return false;
    return true;
}

static bool holds_data(const xmlNode *node)
{
    return node->type == XML_ELEMENT_NODE && (is_named(node, "script") || is_named(node, "style"));
}

static void end_of(const xmlNode *node, text_buffer *text)
{
    const xmlNode *next = node->next;
    if (next != NULL && is_text(next) && *next->content && is_block(node)) text->blank_due = true;
}

static outcome add_text(text_buffer *text, const xmlNode *node)
{
    if (holds_data(node->parent)) return DONE;
    if (!can_collapse(node)) return UNDECIDED;
    return add_collapsed(text, node->content) ? DONE : FAILED;
}

/* The visible text of an element and its descendants; with `own`, only of the element itself. */
static outcome add_seen(text_buffer *text, const xmlNode *element, bool own)
{
    const xmlNode *node = element->children;
    while (node != NULL) {
        if (is_text(node)) {
            outcome added = add_text(text, node);
            if (added != DONE) return added;
        } else if (node->type == XML_ELEMENT_NODE) {
            bool is_break = is_named(node, "br");
            if (own ? is_break : is_break || is_block(node)) text->blank_due = true;
            if (!own && node->children != NULL) {
                node = node->children;
                continue;
            }
            if (!own) end_of(node, text);
        }
        while (node->next == NULL) {
            node = node->parent;
            if (node == element || own) return DONE;
            end_of(node, text);
        }
        node = node->next;
    }
    return DONE;
}

outcome seen_text(const xmlNode *element, char kind, text_buffer *text)
{
    outcome added = DONE;
    text->length = 0;
    text->blank_due = false;
    if (kind == 'r') {
        if (!add_full_text(text, element)) added = FAILED;
    } else {
        added = add_seen(text, element, kind == 'o');
    }
    if (added == FAILED) PyErr_NoMemory();
    return added;
}

outcome seen_value(const xmlNode *element, char kind, text_buffer *text, PyObject **made)
{
    outcome added = seen_text(element, kind, text);
    if (added != DONE) return added;
    *made = PyUnicode_DecodeUTF8(text->bytes != NULL ? text->bytes : "", (Py_ssize_t)text->length, NULL);
    return *made != NULL ? DONE : FAILED;
}
