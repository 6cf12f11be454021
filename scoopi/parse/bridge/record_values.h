/* Functions of record_values.c that the module exports. */
#ifndef SCOOPI_RECORD_VALUES_H
#define SCOOPI_RECORD_VALUES_H

#include <Python.h>

PyObject *record_values_plan(PyObject *module, PyObject *arguments);
PyObject *record_values(PyObject *module, PyObject *arguments);

#endif
