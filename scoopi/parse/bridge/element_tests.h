/* Tests of elements by tag, id and classes. */
#ifndef SCOOPI_ELEMENT_TESTS_H
#define SCOOPI_ELEMENT_TESTS_H

#include "seen_text.h"

enum { MOST_CLASSES = 8, MOST_COMPOUNDS = 8, WITHIN = 0, CHILD = 1, BELOW = 2 };

/* Tag, id and classes that an element must have; "" or no classes for any. */
typedef struct {
    const char *tag, *id, *classes[MOST_CLASSES];
    size_t lengths[MOST_CLASSES]; /* of the classes */
    Py_ssize_t number;
} compound;

/* Compounds with a blank or `>` between them, in reverse order. */
typedef struct {
    Py_ssize_t compounds;
    compound compound[MOST_COMPOUNDS];
    bool is_child[MOST_COMPOUNDS];
    int place; /* where the chain's first element is: WITHIN the block, a CHILD of it, or BELOW it */
} element_chain;

/* Reads (tag, id, classes); the strings live as long as the tuple. False with an error set. */
bool element_compound(PyObject *written, compound *made);
/* The attribute with this name and without a namespace; NULL if there is none. */
const xmlAttr *element_attribute(const xmlNode *node, const char *name);
/* The value of an attribute; NULL if it is not a single text node. */
const char *element_value(const xmlAttr *attribute);
/* DONE if the element has the tag, id and classes, UNDECIDED if not, FAILED (with no error set) if element_value()
 * gives NULL. */
outcome element_fits(const xmlNode *node, const compound *wanted);
/* Reads a tuple of compounds, and one of booleans: whether `>` joins each but the last to the next. The strings live as
 * long as the tuple. False with an error set. */
bool element_chain_read(PyObject *chain, PyObject *children, int place, element_chain *made);
/* Whether a chain matches a node in a block; returns as `element_fits`. */
outcome element_chain_fits(const xmlNode *node, const xmlNode *block, const element_chain *wanted);
/* The node after this one inside a block, in document order; NULL after the last one. */
const xmlNode *element_walk(const xmlNode *node, const xmlNode *block);

#endif
