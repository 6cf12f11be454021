/* Tests of elements by tag, id and classes. */
#ifndef SCOOPI_ELEMENT_TESTS_H
#define SCOOPI_ELEMENT_TESTS_H

#include "seen_text.h"

enum { MOST_CLASSES = 8 };

/* Tag, id and classes that an element must have; "" and none for any. */
typedef struct {
    const char *tag, *id, *classes[MOST_CLASSES];
    Py_ssize_t number;
} compound;

/* Reads (tag, id, classes); its strings live as long as the tuple. False with an error set. */
bool element_compound(PyObject *written, compound *made);
const xmlAttr *element_attribute(const xmlNode *node, const char *name);
/* The value of an attribute; NULL where it is not one text. */
const char *element_value(const xmlAttr *attribute);
/* DONE if it has them, UNDECIDED if not, FAILED (without an error) where an attribute is not one text. */
outcome element_fits(const xmlNode *node, const compound *wanted);

#endif
