/* element_tests: tests elements of libxml2 by tag, id and classes, and by the elements around them. */
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

bool element_chain_read(PyObject *chain, PyObject *children, int place, element_chain *made)
{
    made->compounds = PyTuple_GET_SIZE(chain);
    made->place = place;
    if (made->compounds < 1 || made->compounds > MOST_COMPOUNDS || PyTuple_GET_SIZE(children) != made->compounds - 1)
        return PyErr_Format(PyExc_ValueError, "a chain is too long, or its children too many or too few"), false;
    for (Py_ssize_t at = 0; at < made->compounds; at++) {
        PyObject *each = PyTuple_GET_ITEM(chain, at);
        if (!PyTuple_Check(each)) return PyErr_Format(PyExc_TypeError, "expected a tuple"), false;
        if (!element_compound(each, &made->compound[at])) return false;
        made->is_child[at] = at + 1 < made->compounds && PyObject_IsTrue(PyTuple_GET_ITEM(children, at)) == 1;
    }
    return true;
}

/* How the rest of a chain matches the ancestors of a node in the block. NOWHERE: it cannot match from any node further
 * up either, so the search ends; without that, a page of deeply nested elements would take minutes. */
typedef enum { UNREADABLE = -1, NOWHERE, NOT_HERE, FITS } match;

static match match_above(const xmlNode *node, const xmlNode *block, const element_chain *wanted, Py_ssize_t at)
{
    if (at + 1 == wanted->compounds) {
        if (wanted->place == WITHIN) return FITS;
        if (node == block) return NOWHERE;
        return wanted->place == BELOW || node->parent == block ? FITS : NOT_HERE;
    }
    while (node != block) {
        node = node->parent;
        if (node == NULL || node->type != XML_ELEMENT_NODE) return NOWHERE;
        outcome fits = element_fits(node, &wanted->compound[at + 1]);
        if (fits == FAILED) return UNREADABLE;
        match found = fits == DONE ? match_above(node, block, wanted, at + 1) : NOT_HERE;
        if (found != NOT_HERE || wanted->is_child[at]) return found;
    }
    return NOWHERE;
}

outcome element_chain_fits(const xmlNode *node, const xmlNode *block, const element_chain *wanted)
{
    outcome fits = element_fits(node, &wanted->compound[0]);
    if (fits != DONE) return fits;
    match found = match_above(node, block, wanted, 0);
    return found == FITS ? DONE : found == UNREADABLE ? FAILED : UNDECIDED;
}

const xmlNode *element_walk(const xmlNode *node, const xmlNode *block)
{
    if (node->type == XML_ELEMENT_NODE && node->children != NULL) return node->children;
    while (node != block && node->next == NULL) node = node->parent;
    return node == block ? NULL : node->next;
}
