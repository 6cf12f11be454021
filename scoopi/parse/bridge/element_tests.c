/* element_tests: tests elements of libxml2 by tag, id and classes. */
#include "element_tests.h"

#include "class_list.h"

bool element_compound(PyObject *written, compound *made)
{
    PyObject *classes;
    if (!PyArg_ParseTuple(written, "ssO!", &made->tag, &made->id, &PyTuple_Type, &classes)) return false;
    made->number = PyTuple_GET_SIZE(classes);
    if (made->number > MOST_CLASSES) return PyErr_Format(PyExc_ValueError, "too many classes"), false;
    for (Py_ssize_t at = 0; at < made->number; at++) {
        Py_ssize_t length = 0;
        made->classes[at] = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(classes, at), &length);
        if (made->classes[at] == NULL) return false;
        made->lengths[at] = (size_t)length;
    }
    return true;
}

const xmlAttr *element_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *attribute = node->properties; attribute != NULL; attribute = attribute->next)
        if (attribute->ns == NULL && strcmp((const char *)attribute->name, name) == 0) return attribute;
    return NULL;
}

const char *element_value(const xmlAttr *attribute)
{
    const xmlNode *child = attribute->children;
    if (child == NULL) return "";
    if (child->next != NULL || child->type != XML_TEXT_NODE) return NULL;
    return child->content != NULL ? (const char *)child->content : "";
}

outcome element_fits(const xmlNode *node, const compound *wanted)
{
    if (*wanted->tag && !is_named(node, wanted->tag)) return UNDECIDED;
    if (*wanted->id) {
        const xmlAttr *attribute = element_attribute(node, "id");
        const char *value = attribute != NULL ? element_value(attribute) : NULL;
        if (value == NULL) return attribute == NULL ? UNDECIDED : FAILED;
        if (strcmp(value, wanted->id) != 0) return UNDECIDED;
    }
    if (wanted->number > 0) {
        const xmlAttr *attribute = element_attribute(node, "class");
        const char *value = attribute != NULL ? element_value(attribute) : NULL;
        if (value == NULL) return attribute == NULL ? UNDECIDED : FAILED;
        size_t length = strlen(value);
        for (Py_ssize_t at = 0; at < wanted->number; at++)
            if (!has_class(value, length, wanted->classes[at], wanted->lengths[at])) return UNDECIDED;
    }
    return DONE;
}
