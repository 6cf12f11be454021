/* Decides which nodes of a page are copied if definitions read only parts of it. */
#ifndef SCOOPI_KEPT_NODES_H
#define SCOOPI_KEPT_NODES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lexbor_view.h"

enum { MOST_ANCHORS = 32 };

/* What is kept of the elements that match an anchor; an element may match several. The flags that begin with NESTED
 * count only on and inside the elements of a FRAME. */
enum {
    CONTENTS = 1,           /* the element with all its contents, */
    JOINED = 2,             /* and its parent with all its contents, too */
    FRAME = 4,              /* the element; inside it nested anchors count */
    NESTED_SHALLOW = 8,     /* the element */
    NESTED_CONTENTS = 16,
    NESTED_JOINED = 32
};

/* Identifies elements that are copied: by tag, id, a class, or the name of an attribute. */
typedef struct {
    char kind;              /* 't', 'i', 'c' or 'a' */
    unsigned char keeps;
    const char *name;       /* in lower case, except for an id */
    size_t length;
} anchor;

typedef struct {
    anchor anchors[MOST_ANCHORS];
    size_t number;
} keep_plan;

/* Marks of a node, in its field `user`; a node without marks is not copied. */
enum { ON_PATH = 1, HOLDS_ANCHOR = 2, WHOLE = 4 };

/* Reads a tuple of (kind, name, joins_siblings, is_shallow, is_nested); the strings live as long as the tuple.
 * False with an error set.
 */
bool keep_plan_of(PyObject *written, keep_plan *plan);

/* Marks what the plan keeps: each anchor, its ancestors, and its siblings without their contents.
 *
 * False if the page is deeper than max_depth elements, has more than max_nodes nodes, or memory runs out.
 */
bool mark_kept(const lexbor_api *lexbor, lexbor_node *document, const keep_plan *plan, size_t max_depth,
               size_t max_nodes);

static inline uintptr_t marks_of(const lexbor_node *node) { return (uintptr_t)node->user; }

#endif
