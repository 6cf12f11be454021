/* Finds elements by tags, ids and classes. */
#ifndef SCOOPI_FOUND_ELEMENTS_H
#define SCOOPI_FOUND_ELEMENTS_H

#include <Python.h>
#include <stdbool.h>

/* Whether lxml exports the function that makes its elements; else an ImportError is set. */
bool found_elements_connected(void);
PyObject *found_elements(PyObject *module, PyObject *arguments);

#endif
