/* Elements that are found by their text, and what stands beside them. */
#ifndef SCOOPI_LABEL_VALUES_H
#define SCOOPI_LABEL_VALUES_H

#include "element_tests.h"

enum { MOST_STEPS = 8, TEXT_KINDS = 6 };

typedef enum { LABEL_ERROR = -1, LABEL_NO, LABEL_YES, LABEL_UNSURE } label_answer;

/* The text of an element that is looked at, how it is compared, and the way from it to the value. */
typedef struct {
    char text;   /* o(wn), v(isible), r(aw), n(ormalized raw), t (any text child) or f (the first text child) */
    char mode;   /* e(quals), p(refix) or c(ontains) */
    bool lower;  /* the text is compared in lower case, in which the literal is */
    const char *literal;
    size_t length;
    Py_ssize_t steps;
    char kind[MOST_STEPS]; /* + the next element, ~ all that follow, 1 the first that follows and fits */
    compound beside[MOST_STEPS];
} label;

/* The texts of the element at hand, each made once however many labels are looked for. */
typedef struct {
    struct {
        const xmlNode *node;
        label_answer answer;
        text_buffer text;
    } known[TEXT_KINDS];
    size_t spent; /* bytes of the texts of elements with others inside, which a walk meets again and again */
} label_texts;

typedef struct {
    const xmlNode **nodes;
    Py_ssize_t length, room;
} node_list;

/* Reads (text, mode, lower, literal, ((kind, compound), …)). False with an error set. */
bool label_read(PyObject *written, label *made);
/* Whether the element's text is the label's; UNSURE where only Python can say. */
label_answer label_fits(const label *wanted, const xmlNode *node, label_texts *texts);
/* Puts what stands beside a label into the list, in document order; as `label_fits`. */
label_answer label_rest(const label *wanted, const xmlNode *node, node_list *found);
void label_texts_free(label_texts *texts);

#endif
