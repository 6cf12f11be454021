/* Functions of row_cells.c that the module exports or other files use. */
#ifndef SCOOPI_ROW_CELLS_H
#define SCOOPI_ROW_CELLS_H

#include <Python.h>
#include <stdbool.h>

#include <libxml/tree.h>

/* Whether the layout of lxml's elements is the one this was compiled for; else an ImportError is set. */
bool row_cells_connected(void);
/* The node of an lxml element; NULL with an error set for anything else. */
xmlNode *row_cells_node(PyObject *object);
PyObject *row_cells_cells(PyObject *module, PyObject *arguments);
PyObject *row_cells_part(PyObject *module, PyObject *arguments);
PyObject *row_cells_tails(PyObject *module, PyObject *arguments);
PyObject *row_cells_positions(PyObject *module, PyObject *arguments);

#endif
