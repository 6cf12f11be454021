/* kept_nodes: marks the nodes of lexbor's tree that are copied. */
#include "kept_nodes.h"

#include <string.h>
#include <strings.h>

#include "class_list.h"

enum { KNOWN_IDS = 512 }; /* smaller ids of tags and attributes are lexbor's own and index a table */
enum { UNKNOWN = 0, OTHER, IS_ID, IS_CLASS, NAMED };     /* NAMED + n: the attribute of anchor n */

typedef struct {
    const lexbor_api *lexbor;
    const keep_plan *plan;
    bool has_ids, has_classes, has_names;
    unsigned char attributes[KNOWN_IDS];
    signed char tags[KNOWN_IDS];    /* 0: unknown; -1: no anchor; else the anchor's index + 1 */
    lexbor_path path;
} walk;

bool keep_plan_of(PyObject *written, keep_plan *plan)
{
    if (!PyTuple_Check(written)) return PyErr_Format(PyExc_TypeError, "anchors are a tuple"), false;
    plan->number = (size_t)PyTuple_GET_SIZE(written);
    if (plan->number > MOST_ANCHORS) return PyErr_Format(PyExc_ValueError, "too many anchors"), false;
    for (size_t at = 0; at < plan->number; at++) {
        anchor *made = &plan->anchors[at];
        int kind = 0, joins_siblings = 0;
        Py_ssize_t length = 0;
        PyObject *each = PyTuple_GET_ITEM(written, at);
        if (!PyTuple_Check(each)) return PyErr_Format(PyExc_TypeError, "an anchor is a tuple"), false;
        if (!PyArg_ParseTuple(each, "Cs#p", &kind, &made->name, &length, &joins_siblings))
            return false;
        made->kind = (char)kind;
        made->length = (size_t)length;
        made->joins_siblings = joins_siblings;
    }
    return true;
}

/* Whether one of the classes is the wanted one; true if they are not all ASCII, so that other tests decide. */
static bool may_have_class(const char *value, size_t length, const anchor *wanted)
{
    for (size_t at = 0; at < length; at++)
        if ((unsigned char)value[at] >= 0x80) return true;
    return has_class(value, length, wanted->name, wanted->length);
}

static bool is_named(const anchor *wanted, char kind, const unsigned char *name, size_t length)
{
    return wanted->kind == kind && name != NULL && length == wanted->length &&
           strncasecmp((const char *)name, wanted->name, length) == 0;
}

static unsigned char attribute_kind(walk *at, lexbor_attr *attr)
{
    uintptr_t id = attr->node.local_name;
    bool is_known = attr->qualified_name == 0 && id < KNOWN_IDS;
    if (is_known && at->attributes[id] != UNKNOWN) return at->attributes[id];
    size_t length = 0;
    const unsigned char *name = at->lexbor->lxb_dom_attr_qualified_name(attr, &length);
    unsigned char kind = OTHER;
    if (name != NULL && length == 2 && strncasecmp((const char *)name, "id", 2) == 0) kind = IS_ID;
    if (name != NULL && length == 5 && strncasecmp((const char *)name, "class", 5) == 0) kind = IS_CLASS;
    for (size_t each = 0; each < at->plan->number; each++)
        if (is_named(&at->plan->anchors[each], 'a', name, length)) kind = (unsigned char)(NAMED + each);
    if (is_known) at->attributes[id] = kind;
    return kind;
}

/* The anchor of the element's tag; NULL for none. */
static const anchor *anchor_of_tag(walk *at, lexbor_node *node)
{
    uintptr_t id = node->local_name;
    const anchor *found = NULL;
    if (id < KNOWN_IDS && at->tags[id] != 0) return at->tags[id] < 0 ? NULL : &at->plan->anchors[at->tags[id] - 1];
    size_t length = 0;
    const unsigned char *name = at->lexbor->lxb_dom_element_local_name((lexbor_element *)node, &length);
    for (size_t each = 0; each < at->plan->number; each++) {
        const anchor *wanted = &at->plan->anchors[each];
        if (is_named(wanted, 't', name, length)) found = wanted;
    }
    if (id < KNOWN_IDS) at->tags[id] = found == NULL ? -1 : (signed char)(found - at->plan->anchors + 1);
    return found;
}

/* The anchor, of two, that keeps more. */
static const anchor *wider(const anchor *one, const anchor *other)
{
    return one == NULL || (other != NULL && other->joins_siblings) ? other : one;
}

static const anchor *anchor_of_value(walk *at, lexbor_attr *attr, unsigned char kind)
{
    const anchor *found = NULL;
    size_t length = 0;
    const unsigned char *value = attr->value ? at->lexbor->lxb_dom_attr_value_noi(attr, &length) : NULL;
    if (value == NULL) return NULL;
    for (size_t each = 0; each < at->plan->number; each++) {
        const anchor *wanted = &at->plan->anchors[each];
        if (kind == IS_ID ? wanted->kind == 'i' && length == wanted->length && memcmp(value, wanted->name, length) == 0
                          : wanted->kind == 'c' && may_have_class((const char *)value, length, wanted))
            found = wider(found, wanted);
    }
    return found;
}

/* The anchor that the element matches; NULL for none. Adds its attributes to `nodes`. */
static const anchor *anchor_of(walk *at, lexbor_node *node, size_t *nodes)
{
    const anchor *found = anchor_of_tag(at, node);
    for (lexbor_attr *attr = ((lexbor_element *)node)->first_attr; attr != NULL; attr = attr->next) {
        ++*nodes;
        if (!at->has_ids && !at->has_classes && !at->has_names) continue;
        unsigned char kind = attribute_kind(at, attr);
        if (kind >= NAMED)
            found = wider(found, &at->plan->anchors[kind - NAMED]);
        else if ((kind == IS_ID && at->has_ids) || (kind == IS_CLASS && at->has_classes))
            found = wider(found, anchor_of_value(at, attr, kind));
    }
    return found;
}

static void mark(lexbor_node *node, uintptr_t marks) { node->user = (void *)(marks_of(node) | marks); }

static void keep(const lexbor_path *around, lexbor_node *node, const anchor *found)
{
    mark(node, WHOLE);
    if (around->depth > 0)
        mark(around->nodes[around->depth - 1], found->joins_siblings ? WHOLE : HOLDS_ANCHOR);
    for (size_t above = around->depth; above > 0 && !(marks_of(around->nodes[above - 1]) & ON_PATH); above--)
        mark(around->nodes[above - 1], ON_PATH);
}

static bool mark_tree(walk *at, lexbor_node *document, size_t max_depth, size_t max_nodes)
{
    size_t nodes = 0;
    lexbor_node *node = document->first_child;
    while (true) {
        while (node == NULL) {
            if (at->path.depth == 0) return nodes <= max_nodes;
            node = at->path.nodes[--at->path.depth]->next;
        }
        nodes++;
        lexbor_node *inside = NULL;
        if (node->type == LEXBOR_ELEMENT) {
            if (at->path.depth >= max_depth || nodes > max_nodes) return false;
            const anchor *found = anchor_of(at, node, &nodes);
            if (found != NULL) keep(&at->path, node, found);
            inside = lexbor_first_inside(at->lexbor, node);
            if (inside != NULL && !lexbor_enter(&at->path, node)) return false;
        }
        node = inside != NULL ? inside : node->next;
    }
}

bool mark_kept(const lexbor_api *lexbor, lexbor_node *document, const keep_plan *plan, size_t max_depth,
               size_t max_nodes)
{
    walk at = {.lexbor = lexbor, .plan = plan};
    for (size_t each = 0; each < plan->number; each++) {
        at.has_ids |= plan->anchors[each].kind == 'i';
        at.has_classes |= plan->anchors[each].kind == 'c';
        at.has_names |= plan->anchors[each].kind == 'a';
    }
    bool marked = mark_tree(&at, document, max_depth, max_nodes);
    free(at.path.nodes);
    return marked;
}
