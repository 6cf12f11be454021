/* What the bridge's module takes from column_values.c. */
#ifndef SCOOPI_COLUMN_VALUES_H
#define SCOOPI_COLUMN_VALUES_H

#include <Python.h>

PyObject *column_values(PyObject *module, PyObject *arguments);

#endif
