/* Which nodes of a page are copied, where what is read of it begins at known elements. */
#ifndef SCOOPI_KEPT_NODES_H
#define SCOOPI_KEPT_NODES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lexbor_view.h"

enum { MOST_ANCHORS = 32 };

/* What marks an element that is copied with all that is inside: its tag, id, one of its classes, or an attribute. */
typedef struct {
    char kind;              /* 't', 'i', 'c' or 'a' */
    bool joins_siblings;    /* its parent is copied with all that is inside, too */
    const char *name;       /* in lower case, but for an id */
    size_t length;
} anchor;

typedef struct {
    anchor anchors[MOST_ANCHORS];
    size_t number;
} keep_plan;

/* Marks of a node, in its field `user`; none: it is left out. */
enum { ON_PATH = 1, HOLDS_ANCHOR = 2, WHOLE = 4 };

/* Reads a tuple of (kind, name, joins_siblings); its strings live as long as the tuple. False with an error set. */
bool keep_plan_of(PyObject *written, keep_plan *plan);

/* Marks what the plan keeps: each anchor, the elements around it, and its siblings without what is inside them.
 *
 * False if the page is deeper than max_depth elements or has more than max_nodes nodes, or memory is short.
 */
bool mark_kept(const lexbor_api *lexbor, lexbor_node *document, const keep_plan *plan, size_t max_depth,
               size_t max_nodes);

static inline uintptr_t marks_of(const lexbor_node *node) { return (uintptr_t)node->user; }

#endif
