/* Functions of row_cells.c that the module exports or other files use. */
#ifndef SCOOPI_ROW_CELLS_H
#define SCOOPI_ROW_CELLS_H

#include <Python.h>
#include <stdbool.h>

#include <libxml/tree.h>

#include "node_text.h"

enum { REMEMBERED = 16 };

/* An element whose position among its siblings is known; positions of later siblings are counted from there. */
typedef struct {
    const xmlNode *node;
    Py_ssize_t position;
} counted_element;

/* Whether the layout of lxml's elements is the one this was compiled for; else an ImportError is set. */
bool row_cells_connected(void);
/* The node of an lxml element; NULL with an error set for anything else. */
xmlNode *row_cells_node(PyObject *object);
/* The document of an lxml element, as a borrowed reference. */
PyObject *row_cells_document(PyObject *element);
/* The position of an element among its siblings, from 1; with `of_type`, among those of its name. The root of a page
 * has position 0; with `of_type`, 1. `known` has REMEMBERED entries. */
Py_ssize_t row_cells_position(const xmlNode *node, bool of_type, counted_element *known);
/* The value of an attribute, or for the name "" the element's own text; NULL with no error set if only Python can
 * decide. */
PyObject *row_cells_value(const xmlNode *element, const char *name, text_buffer *text);
/* The values of the children with the tag: a string for one child, a list for several, None for none; NULL as for
 * `row_cells_value`. */
PyObject *row_cells_tail(const xmlNode *element, const char *tag, const char *name, text_buffer *text);
/* Whether white space is significant in the children of the row because the row is in a `pre` or the like. */
bool row_cells_preserved(const xmlNode *row);
PyObject *row_cells_cells(PyObject *module, PyObject *arguments);
PyObject *row_cells_part(PyObject *module, PyObject *arguments);
PyObject *row_cells_tails(PyObject *module, PyObject *arguments);
PyObject *row_cells_positions(PyObject *module, PyObject *arguments);

#endif
