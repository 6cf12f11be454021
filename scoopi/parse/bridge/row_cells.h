/* What the bridge's module takes from row_cells.c. */
#ifndef SCOOPI_ROW_CELLS_H
#define SCOOPI_ROW_CELLS_H

#include <Python.h>
#include <stdbool.h>

/* Whether lxml's elements are laid out as this was compiled for; else an ImportError is set. */
bool row_cells_connected(void);
PyObject *row_cells_cells(PyObject *module, PyObject *arguments);
PyObject *row_cells_part(PyObject *module, PyObject *arguments);
PyObject *row_cells_positions(PyObject *module, PyObject *arguments);

#endif
