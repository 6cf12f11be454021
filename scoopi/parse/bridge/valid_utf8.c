/* is_utf8: whether a page is valid UTF-8. To decode it for that takes several times as long. */
#include "valid_utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

static const uint64_t HIGH_BITS = 0x8080808080808080;

/* Skips ASCII: long runs in steps of 32 bytes, and at least the byte at `at`. */
static const byte *behind_ascii(const byte *at, const byte *end)
{
    uint64_t words[4];
    while (end - at >= (ptrdiff_t)sizeof(words)) {
        memcpy(words, at, sizeof(words));
        if ((words[0] | words[1]) & HIGH_BITS) break;
        at += sizeof(words) / 2;
        if ((words[2] | words[3]) & HIGH_BITS) break;
        at += sizeof(words) / 2;
    }
    while (at < end && *at < 0x80) at++;
    return at;
}

static bool is_within(byte value, byte first, byte last) { return value >= first && value <= last; }

/* The length of the character of several bytes at `at`; 0 if it is not valid. Unicode, table 3-7. */
static size_t character_length(const byte *at, const byte *end)
{
    byte lead = at[0], first = 0x80, last = 0xBF;
    size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (!is_within(lead, 0xC2, 0xF4) || (size_t)(end - at) < length) return 0;
    if (lead == 0xE0) first = 0xA0;
    if (lead == 0xED) last = 0x9F;
    if (lead == 0xF0) first = 0x90;
    if (lead == 0xF4) last = 0x8F;
    if (!is_within(at[1], first, last)) return 0;
    for (size_t each = 2; each < length; each++)
        if (!is_within(at[each], 0x80, 0xBF)) return 0;
    return length;
}

static bool is_utf8(const byte *at, const byte *end)
{
    while (at < end) {
        if (*at < 0x80) {
            at = behind_ascii(at, end);
        } else if (is_within(*at, 0xC2, 0xDF) && end - at > 1 && is_within(at[1], 0x80, 0xBF)) {
            at += 2;
        } else {
            size_t length = character_length(at, end);
            if (length == 0) return false;
            at += length;
        }
    }
    return true;
}

PyObject *valid_utf8(PyObject *module, PyObject *page)
{
    Py_buffer view;
    (void)module;
    if (PyObject_GetBuffer(page, &view, PyBUF_SIMPLE) != 0) return NULL;
    bool is_valid = is_utf8(view.buf, (const byte *)view.buf + view.len);
    PyBuffer_Release(&view);
    return PyBool_FromLong(is_valid);
}
