/* The texts of elements, as selectors compare and values show them. */
#ifndef SCOOPI_SEEN_TEXT_H
#define SCOOPI_SEEN_TEXT_H

#include "node_text.h"

/* FAILED: an exception is set. UNDECIDED: no, or only Python can say. */
typedef enum { FAILED = -1, UNDECIDED, DONE } outcome;

/* Puts a text of the element into the buffer: v(isible), o(wn) or r(aw); UNDECIDED where blanks may count. */
outcome seen_text(const xmlNode *element, char kind, text_buffer *text);
/* The same as a new string. */
outcome seen_value(const xmlNode *element, char kind, text_buffer *text, PyObject **made);

#endif
