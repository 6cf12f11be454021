/* The function of column_values.c that the module exports. */
#ifndef SCOOPI_COLUMN_VALUES_H
#define SCOOPI_COLUMN_VALUES_H

#include <Python.h>

PyObject *column_values(PyObject *module, PyObject *arguments);

#endif
