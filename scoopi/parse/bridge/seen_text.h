/* Builds the visible, the own or the raw text of an element. */
#ifndef SCOOPI_SEEN_TEXT_H
#define SCOOPI_SEEN_TEXT_H

#include "node_text.h"

/* FAILED: an exception is set. UNDECIDED: the answer is no, or only Python can decide. */
typedef enum { FAILED = -1, UNDECIDED, DONE } outcome;

/* Puts the v(isible), o(wn) or r(aw) text of the element into the buffer; UNDECIDED if white space may be
 * significant. */
outcome seen_text(const xmlNode *element, char kind, text_buffer *text);
/* The same, as a new string. */
outcome seen_value(const xmlNode *element, char kind, text_buffer *text, PyObject **made);

#endif
