/* values: what the simple selectors of records find in their elements, in one walk over libxml2's nodes.
 *
 * The same as `RecordWalk.walked` of `scoopi/parse/records/record_walk.py` gives, without a Python object for each
 * node. A record with a text whose white space may count, or with control characters, is left to Python. Longer than
 * most files here, as C takes more lines.
 */
#include "node_text.h"
#include "record_values.h"
#include "row_cells.h"

enum { MOST_COMPOUNDS = 8, MOST_CLASSES = 8 };

typedef enum { FAILED = -1, UNDECIDED, DONE } outcome;

/* Tag, id and classes that an element must have; "" and none for any. */
typedef struct {
    const char *tag, *id, *classes[MOST_CLASSES];
    Py_ssize_t number;
} compound;

/* A field: its chain of compounds, the last one first, and what it takes of an element. */
typedef struct {
    Py_ssize_t at, compounds;
    compound chain[MOST_COMPOUNDS];
    bool is_child[MOST_COMPOUNDS], is_list;
    const char *attribute; /* "" for a text */
    char text;             /* v(isible), o(wn) or r(aw) */
} target;

/* ---- the plan ---- */

static bool read_compound(PyObject *written, compound *made)
{
    PyObject *classes;
    if (!PyArg_ParseTuple(written, "ssO!", &made->tag, &made->id, &PyTuple_Type, &classes)) return false;
    made->number = PyTuple_GET_SIZE(classes);
    if (made->number > MOST_CLASSES) return PyErr_Format(PyExc_ValueError, "too many classes"), false;
    for (Py_ssize_t at = 0; at < made->number; at++)
        if ((made->classes[at] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(classes, at))) == NULL) return false;
    return true;
}

static bool read_target(PyObject *written, Py_ssize_t width, target *made)
{
    PyObject *chain, *children;
    const char *text;
    int is_list;
    if (!PyTuple_Check(written)) return PyErr_Format(PyExc_TypeError, "a tuple is wanted"), false;
    if (!PyArg_ParseTuple(written, "nO!O!ssp", &made->at, &PyTuple_Type, &chain, &PyTuple_Type, &children,
                          &made->attribute, &text, &is_list))
        return false;
    made->compounds = PyTuple_GET_SIZE(chain);
    made->text = text[0];
    made->is_list = is_list;
    if (made->at < 0 || made->at >= width || made->compounds < 1 || made->compounds > MOST_COMPOUNDS ||
        PyTuple_GET_SIZE(children) != made->compounds - 1)
        return PyErr_Format(PyExc_ValueError, "a chain is too long, or a position wrong"), false;
    for (Py_ssize_t at = 0; at < made->compounds; at++) {
        PyObject *each = PyTuple_GET_ITEM(chain, at);
        if (!PyTuple_Check(each)) return PyErr_Format(PyExc_TypeError, "a tuple is wanted"), false;
        if (!read_compound(each, &made->chain[at])) return false;
        made->is_child[at] = at + 1 < made->compounds && PyObject_IsTrue(PyTuple_GET_ITEM(children, at)) == 1;
    }
    return true;
}

/* ---- elements ---- */

static const xmlAttr *attribute_of(const xmlNode *node, const char *name)
{
    for (const xmlAttr *attribute = node->properties; attribute != NULL; attribute = attribute->next)
        if (attribute->ns == NULL && strcmp((const char *)attribute->name, name) == 0) return attribute;
    return NULL;
}

/* The value of an attribute; NULL where it is not one text. */
static const char *value_of(const xmlAttr *attribute)
{
    const xmlNode *child = attribute->children;
    if (child == NULL) return "";
    if (child->next != NULL || child->type != XML_TEXT_NODE) return NULL;
    return child->content != NULL ? (const char *)child->content : "";
}

static bool ends_class(char sign)
{
    return sign == '\0' || sign == ' ' || sign == '\t' || sign == '\r' || sign == '\n';
}

static bool has_class(const char *value, const char *wanted)
{
    for (const char *at = value; *at != '\0';) {
        const char *sign = wanted;
        while (!ends_class(*at) && *sign == (*at >= 'A' && *at <= 'Z' ? *at + 32 : *at)) at++, sign++;
        if (ends_class(*at) && *sign == '\0') return true;
        while (!ends_class(*at)) at++;
        while (*at != '\0' && ends_class(*at)) at++;
    }
    return false;
}

static outcome fits(const xmlNode *node, const compound *wanted)
{
    if (*wanted->tag && !is_named(node, wanted->tag)) return UNDECIDED;
    if (*wanted->id) {
        const xmlAttr *attribute = attribute_of(node, "id");
        const char *value = attribute != NULL ? value_of(attribute) : NULL;
        if (value == NULL) return attribute == NULL ? UNDECIDED : FAILED;
        if (strcmp(value, wanted->id) != 0) return UNDECIDED;
    }
    if (wanted->number > 0) {
        const xmlAttr *attribute = attribute_of(node, "class");
        const char *value = attribute != NULL ? value_of(attribute) : NULL;
        if (value == NULL) return attribute == NULL ? UNDECIDED : FAILED;
        for (Py_ssize_t at = 0; at < wanted->number; at++)
            if (!has_class(value, wanted->classes[at])) return UNDECIDED;
    }
    return DONE;
}

/* Whether the rest of a chain stands above a node, in the element of the record. */
static outcome is_below(const xmlNode *node, const xmlNode *root, const target *wanted, Py_ssize_t at)
{
    if (at + 1 == wanted->compounds) return DONE;
    while (node != root) {
        node = node->parent;
        if (node == NULL || node->type != XML_ELEMENT_NODE) return UNDECIDED;
        outcome found = fits(node, &wanted->chain[at + 1]);
        if (found == DONE) found = is_below(node, root, wanted, at + 1);
        if (found != UNDECIDED) return found;
        if (wanted->is_child[at]) return UNDECIDED;
    }
    return UNDECIDED;
}

/* ---- texts ---- */

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

/* Whether a text can be collapsed here: it is plain, or has no control characters and no `<pre>` above it. */
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

/* The text of an element and those inside, as a reader sees it; `own` only that of the element itself. */
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

static outcome text_of(const xmlNode *element, char kind, text_buffer *text, PyObject **made)
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
    if (added != DONE) return added;
    *made = PyUnicode_DecodeUTF8(text->bytes != NULL ? text->bytes : "", (Py_ssize_t)text->length, NULL);
    return *made != NULL ? DONE : FAILED;
}

/* ---- records ---- */

/* Adds what a target takes of a node, if it takes anything. */
static outcome take(PyObject *values, const xmlNode *node, const target *wanted, text_buffer *text, Py_ssize_t *left)
{
    PyObject *value = NULL;
    if (*wanted->attribute) {
        const xmlAttr *attribute = attribute_of(node, wanted->attribute);
        if (attribute == NULL) return DONE;
        const char *written = value_of(attribute);
        if (written == NULL) return UNDECIDED;
        value = PyUnicode_FromString(written);
        if (value == NULL) return FAILED;
    } else {
        outcome made = text_of(node, wanted->text, text, &value);
        if (made != DONE) return made;
    }
    int added = PyList_Append(PyList_GET_ITEM(values, wanted->at), value);
    Py_DECREF(value);
    if (!wanted->is_list) --*left;
    return added == 0 ? DONE : FAILED;
}

static outcome look_at(PyObject *values, const xmlNode *node, const xmlNode *root, const target *targets,
                       Py_ssize_t number, text_buffer *text, Py_ssize_t *left)
{
    for (const target *wanted = targets; wanted < targets + number; wanted++) {
        if (!wanted->is_list && PyList_GET_SIZE(PyList_GET_ITEM(values, wanted->at)) > 0) continue;
        outcome found = fits(node, &wanted->chain[0]);
        if (found == DONE) found = is_below(node, root, wanted, 0);
        if (found == FAILED) return UNDECIDED; /* an attribute that is not one text */
        if (found == UNDECIDED) continue;
        outcome taken = take(values, node, wanted, text, left);
        if (taken != DONE) return taken;
    }
    return DONE;
}

static outcome walk(PyObject *values, const xmlNode *root, const target *targets, Py_ssize_t number,
                    text_buffer *text)
{
    Py_ssize_t left = 0;
    bool has_lists = false;
    for (Py_ssize_t at = 0; at < number; at++) {
        left += !targets[at].is_list;
        has_lists |= targets[at].is_list;
    }
    for (const xmlNode *node = root; has_lists || left > 0;) {
        if (node->type == XML_ELEMENT_NODE) {
            outcome looked = look_at(values, node, root, targets, number, text, &left);
            if (looked != DONE) return looked;
        }
        if (node->type == XML_ELEMENT_NODE && node->children != NULL) {
            node = node->children;
            continue;
        }
        while (node != root && node->next == NULL) node = node->parent;
        if (node == root) break;
        node = node->next;
    }
    return DONE;
}

static PyObject *new_values(Py_ssize_t width)
{
    PyObject *values = PyList_New(width);
    for (Py_ssize_t at = 0; values != NULL && at < width; at++) {
        PyObject *none = PyList_New(0);
        if (none == NULL) Py_CLEAR(values);
        else PyList_SET_ITEM(values, at, none);
    }
    return values;
}

PyObject *record_values(PyObject *module, PyObject *arguments)
{
    PyObject *roots, *plan;
    Py_ssize_t width;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!n", &PyList_Type, &roots, &PyTuple_Type, &plan, &width)) return NULL;
    Py_ssize_t number = PyTuple_GET_SIZE(plan);
    target *targets = PyMem_Calloc((size_t)number + 1, sizeof(*targets));
    if (targets == NULL) return PyErr_NoMemory();
    text_buffer text = {0};
    PyObject *all = PyList_New(0);
    for (Py_ssize_t at = 0; all != NULL && at < number; at++)
        if (!read_target(PyTuple_GET_ITEM(plan, at), width, &targets[at])) Py_CLEAR(all);
    for (Py_ssize_t at = 0; all != NULL && at < PyList_GET_SIZE(roots); at++) {
        const xmlNode *root = row_cells_node(PyList_GET_ITEM(roots, at));
        PyObject *values = root != NULL ? new_values(width) : NULL;
        outcome walked = values != NULL ? walk(values, root, targets, number, &text) : FAILED;
        if (walked == UNDECIDED) Py_SETREF(values, Py_NewRef(Py_None));
        if (walked == FAILED || PyList_Append(all, values) != 0) Py_CLEAR(all);
        Py_XDECREF(values);
    }
    PyMem_Free(text.bytes);
    PyMem_Free(targets);
    return all;
}
