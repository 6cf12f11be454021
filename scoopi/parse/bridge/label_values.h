/* Finds labels by their text, and the siblings that hold their values. */
#ifndef SCOOPI_LABEL_VALUES_H
#define SCOOPI_LABEL_VALUES_H

#include "element_tests.h"

enum { MOST_STEPS = 8, TEXT_KINDS = 6 };

typedef enum { LABEL_ERROR = -1, LABEL_NO, LABEL_YES, LABEL_UNSURE } label_answer;

/* Which text of an element is compared, how it is compared, and the steps from the element to the value. */
typedef struct {
    char text;   /* o(wn), v(isible), r(aw), n(ormalized raw), t (any text child) or f (the first text child) */
    char mode;   /* e(quals), p(refix) or c(ontains) */
    bool lower;  /* compare in lower case; the literal already is */
    const char *literal;
    size_t length;
    Py_ssize_t steps;
    char kind[MOST_STEPS]; /* + the next sibling, ~ all following ones, 1 the first following one that matches */
    compound beside[MOST_STEPS];
} label;

/* The texts of the current element, each built once for all labels. */
typedef struct {
    struct {
        const xmlNode *node;
        label_answer answer;
        text_buffer text;
    } known[TEXT_KINDS];
    size_t spent; /* bytes of texts built for elements that contain others, whose texts are built again */
} label_texts;

typedef struct {
    const xmlNode **nodes;
    Py_ssize_t length, room;
} node_list;

/* Reads (text, mode, lower, literal, ((kind, compound), …)). False with an error set. */
bool label_read(PyObject *written, label *made);
/* Whether the element's text is the label's; LABEL_UNSURE if only Python can decide. */
label_answer label_fits(const label *wanted, const xmlNode *node, label_texts *texts);
/* Puts the siblings that the steps reach from a label into the list, in document order; returns as `label_fits`. */
label_answer label_rest(const label *wanted, const xmlNode *node, node_list *found);
void label_texts_free(label_texts *texts);

#endif
