/* kept_nodes: marks the nodes of lexbor's tree that are copied. */
#include "kept_nodes.h"

#include <string.h>
#include <strings.h>

#include "class_list.h"

enum { KNOWN_IDS = 512 }; /* smaller ids of tags and attributes are lexbor's own and index a table */
/* What is known of a name: the flags of what its anchors keep (ALL_KEPT has all of them), and three more. */
enum { ALL_KEPT = 63, IS_ID = 64, IS_CLASS = 128, KNOWN = 256 };

static const size_t NO_FRAME = SIZE_MAX;

typedef struct {
    const lexbor_api *lexbor;
    const keep_plan *plan;
    bool has_ids, has_classes, has_names;
    unsigned short attributes[KNOWN_IDS], tags[KNOWN_IDS];
    size_t frame;                   /* depth of the outermost frame around the current node */
    lexbor_path path;
} walk;

static unsigned char keeps_of(bool joins_siblings, bool is_shallow, bool is_nested)
{
    if (is_shallow) return is_nested ? NESTED_SHALLOW : FRAME;
    if (is_nested) return NESTED_CONTENTS | (joins_siblings ? NESTED_JOINED : 0);
    return CONTENTS | (joins_siblings ? JOINED : 0);
}

bool keep_plan_of(PyObject *written, keep_plan *plan)
{
    if (!PyTuple_Check(written)) return PyErr_Format(PyExc_TypeError, "anchors are a tuple"), false;
    plan->number = (size_t)PyTuple_GET_SIZE(written);
    if (plan->number > MOST_ANCHORS) return PyErr_Format(PyExc_ValueError, "too many anchors"), false;
    for (size_t at = 0; at < plan->number; at++) {
        anchor *made = &plan->anchors[at];
        int kind = 0, joins_siblings = 0, is_shallow = 0, is_nested = 0;
        Py_ssize_t length = 0;
        PyObject *each = PyTuple_GET_ITEM(written, at);
        if (!PyTuple_Check(each)) return PyErr_Format(PyExc_TypeError, "an anchor is a tuple"), false;
        if (!PyArg_ParseTuple(each, "Cs#ppp", &kind, &made->name, &length, &joins_siblings, &is_shallow, &is_nested))
            return false;
        made->kind = (char)kind;
        made->length = (size_t)length;
        made->keeps = keeps_of(joins_siblings, is_shallow, is_nested);
    }
    return true;
}

static bool is_named(const anchor *wanted, char kind, const unsigned char *name, size_t length)
{
    return wanted->kind == kind && name != NULL && length == wanted->length &&
           strncasecmp((const char *)name, wanted->name, length) == 0;
}

/* What the anchors with this name keep. */
static unsigned char keeps_of_name(const keep_plan *plan, char kind, const unsigned char *name, size_t length)
{
    unsigned char keeps = 0;
    for (size_t each = 0; each < plan->number; each++)
        if (is_named(&plan->anchors[each], kind, name, length)) keeps |= plan->anchors[each].keeps;
    return keeps;
}

/* The flags of an attribute's name: what the anchors with this name keep, and IS_ID or IS_CLASS. */
static unsigned short attribute_kind(walk *at, lexbor_attr *attr)
{
    uintptr_t id = attr->node.local_name;
    bool is_common = attr->qualified_name == 0 && id < KNOWN_IDS;
    if (is_common && at->attributes[id] & KNOWN) return at->attributes[id];
    size_t length = 0;
    const unsigned char *name = at->lexbor->lxb_dom_attr_qualified_name(attr, &length);
    unsigned short kind = KNOWN | keeps_of_name(at->plan, 'a', name, length);
    if (name != NULL && length == 2 && strncasecmp((const char *)name, "id", 2) == 0) kind |= IS_ID;
    if (name != NULL && length == 5 && strncasecmp((const char *)name, "class", 5) == 0) kind |= IS_CLASS;
    if (is_common) at->attributes[id] = kind;
    return kind;
}

static unsigned char keeps_of_tag(walk *at, lexbor_node *node)
{
    uintptr_t id = node->local_name;
    if (id < KNOWN_IDS && at->tags[id] & KNOWN) return at->tags[id] & ALL_KEPT;
    size_t length = 0;
    const unsigned char *name = at->lexbor->lxb_dom_element_local_name((lexbor_element *)node, &length);
    unsigned char keeps = keeps_of_name(at->plan, 't', name, length);
    if (id < KNOWN_IDS) at->tags[id] = KNOWN | keeps;
    return keeps;
}

static unsigned char keeps_of_id(const keep_plan *plan, const char *value, size_t length)
{
    unsigned char keeps = 0;
    for (const anchor *each = plan->anchors; each < plan->anchors + plan->number; each++)
        if (each->kind == 'i' && length == each->length && memcmp(value, each->name, length) == 0) keeps |= each->keeps;
    return keeps;
}

/* What the anchors with one of these classes keep. A class that is not ASCII counts as that of every anchor, since only
 * ASCII is compared here: too much may be kept, but not too little. */
static unsigned char keeps_of_classes(const keep_plan *plan, const char *value, size_t length)
{
    unsigned char keeps = 0;
    const char *end = value + length;
    for (const char *at = value; at < end; at++) {
        const char *begin = at;
        unsigned char bytes = 0;
        while (at < end && !is_class_separator(*at)) bytes |= (unsigned char)*at++;
        size_t size = (size_t)(at - begin);
        for (const anchor *each = plan->anchors; size > 0 && each < plan->anchors + plan->number; each++) {
            if (each->kind != 'c') continue;
            if (bytes >= 0x80 || (size == each->length && is_same_in_lower_case(begin, each->name, size)))
                keeps |= each->keeps;
        }
    }
    return keeps;
}

/* What the anchors keep that the element matches. Adds its attributes to `nodes`. */
static unsigned char keeps_of_element(walk *at, lexbor_node *node, size_t *nodes)
{
    unsigned char keeps = keeps_of_tag(at, node);
    for (lexbor_attr *attr = ((lexbor_element *)node)->first_attr; attr != NULL; attr = attr->next) {
        ++*nodes;
        if (!at->has_ids && !at->has_classes && !at->has_names) continue;
        unsigned short kind = attribute_kind(at, attr);
        keeps |= kind & ALL_KEPT;
        if (!(kind & IS_ID && at->has_ids) && !(kind & IS_CLASS && at->has_classes)) continue;
        size_t length = 0;
        const char *value = attr->value ? (const char *)at->lexbor->lxb_dom_attr_value_noi(attr, &length) : NULL;
        if (value != NULL)
            keeps |= kind & IS_ID ? keeps_of_id(at->plan, value, length) : keeps_of_classes(at->plan, value, length);
    }
    return keeps;
}

static void mark(lexbor_node *node, uintptr_t marks) { node->user = (void *)(marks_of(node) | marks); }

static void keep(const lexbor_path *around, lexbor_node *node, unsigned char keeps)
{
    mark(node, keeps & (CONTENTS | NESTED_CONTENTS) ? WHOLE : ON_PATH);
    if (around->depth > 0)
        mark(around->nodes[around->depth - 1], keeps & (JOINED | NESTED_JOINED) ? WHOLE : HOLDS_ANCHOR);
    for (size_t above = around->depth; above > 0 && !(marks_of(around->nodes[above - 1]) & ON_PATH); above--)
        mark(around->nodes[above - 1], ON_PATH);
}

/* Keeps the element if anchors demand it. */
static void mark_element(walk *at, lexbor_node *node, size_t *nodes)
{
    unsigned char keeps = keeps_of_element(at, node, nodes);
    if (at->path.depth <= at->frame) at->frame = keeps & FRAME ? at->path.depth : NO_FRAME;
    if (at->frame == NO_FRAME) keeps &= CONTENTS | JOINED;
    if (keeps != 0) keep(&at->path, node, keeps);
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
            mark_element(at, node, &nodes);
            inside = lexbor_first_inside(at->lexbor, node);
            if (inside != NULL && !lexbor_enter(&at->path, node)) return false;
        }
        node = inside != NULL ? inside : node->next;
    }
}

bool mark_kept(const lexbor_api *lexbor, lexbor_node *document, const keep_plan *plan, size_t max_depth,
               size_t max_nodes)
{
    walk at = {.lexbor = lexbor, .plan = plan, .frame = NO_FRAME};
    for (size_t each = 0; each < plan->number; each++) {
        at.has_ids |= plan->anchors[each].kind == 'i';
        at.has_classes |= plan->anchors[each].kind == 'c';
        at.has_names |= plan->anchors[each].kind == 'a';
    }
    bool marked = mark_tree(&at, document, max_depth, max_nodes);
    free(at.path.nodes);
    return marked;
}
