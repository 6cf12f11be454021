/* Tests of elements by tag, id and classes. */
#ifndef SCOOPI_ELEMENT_TESTS_H
#define SCOOPI_ELEMENT_TESTS_H

#include "seen_text.h"

enum { MOST_CLASSES = 8 };

/* Tag, id and classes that an element must have; "" or no classes for any. */
typedef struct {
    const char *tag, *id, *classes[MOST_CLASSES];
    size_t lengths[MOST_CLASSES]; /* of the classes */
    Py_ssize_t number;
} compound;

/* Reads (tag, id, classes); the strings live as long as the tuple. False with an error set. */
bool element_compound(PyObject *written, compound *made);
const xmlAttr *element_attribute(const xmlNode *node, const char *name);
/* The value of an attribute; NULL if it is not a single text node. */
const char *element_value(const xmlAttr *attribute);
/* DONE if the element has them, UNDECIDED if not, FAILED (without an error) if element_value() gives NULL. */
outcome element_fits(const xmlNode *node, const compound *wanted);

#endif
