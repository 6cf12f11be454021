/* element_tests: what tags, ids and classes say of an element of libxml2. */
#include "element_tests.h"

bool element_compound(PyObject *written, compound *made)
{
    PyObject *classes;
    if (!PyArg_ParseTuple(written, "ssO!", &made->tag, &made->id, &PyTuple_Type, &classes)) return false;
    made->number = PyTuple_GET_SIZE(classes);
    if (made->number > MOST_CLASSES) return PyErr_Format(PyExc_ValueError, "too many classes"), false;
    for (Py_ssize_t at = 0; at < made->number; at++)
        if ((made->classes[at] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(classes, at))) == NULL) return false;
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

static bool ends_class(char sign)
{
    return sign == '\0' || sign == ' ' || sign == '\t' || sign == '\r' || sign == '\n';
}

static bool has_class(const char *value, const char *wanted)
{
    for (const char *at = value; *at != '\0';) {
        const char *sign = wanted;
        while (!ends_class(*at) && *sign == (*at >= 'A' && *at <= 'Z' ? *at + 32 : *at)) at++, sign++;
        if (ends_class(*at) && *sign == '\0') return true;
        while (!ends_class(*at)) at++;
        while (*at != '\0' && ends_class(*at)) at++;
    }
    return false;
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
        for (Py_ssize_t at = 0; at < wanted->number; at++)
            if (!has_class(value, wanted->classes[at])) return UNDECIDED;
    }
    return DONE;
}
