"""Pages whose content is not what was expected, or not in the charset that it claims."""

from __future__ import annotations

from tests.server.answer import HTML
from tests.server.misbehaviours import PAGE
from tests.site.site_page import TEXT, SitePage, html, says

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 64
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(range(256)) * 64
SHELL = "<!doctype html><head><title>Shop</title><script src=app.js></script></head><body><div id=root></div>"
XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>%s</p></body></html>'

CONTENT_PAGES: dict[str, SitePage] = {
    "plain": SitePage(),
    "no-content-type": SitePage(says(PAGE, None, does="No Content-Type.")),
    "octet-stream": SitePage(says(PAGE, "application/octet-stream", does="HTML that is called a binary.")),
    "text-plain": SitePage(says(PAGE, "text/plain; charset=utf-8", does="HTML that is called a text.")),
    "xhtml": SitePage(says(XHTML % TEXT, "application/xhtml+xml; charset=utf-8", does="XHTML.")),
    "json": SitePage(says('{"bread": ["rye"]}', "application/json", does="JSON.")),
    "image": SitePage(says(JPEG, "image/jpeg", does="A picture.")),
    "image-as-page": SitePage(says(PNG, HTML, does="A picture that is called HTML.")),
    "image-without-type": SitePage(says(JPEG, None, does="A picture without Content-Type.")),
    "pdf": SitePage(says(b"%PDF-1.7\n" + bytes(500), "application/pdf", does="A PDF.")),
    "zip-as-page": SitePage(says(b"PK\x03\x04" + bytes(500), HTML, does="An archive that is called HTML.")),
    "video": SitePage(says(bytes(5000), "video/mp4", does="A film.")),
    "soft-404": SitePage(
        says(html("").replace("<p>", "<h1>Page not found</h1>"), does="No page, status 200.")
    ),
    "js-shell": SitePage(says(SHELL, does="Scripts and an empty element: the browser builds the page.")),
    "meta-refresh": SitePage(
        says(
            '<meta http-equiv=refresh content="0; url=/next.html">',
            does="A page that only refreshes to another.",
        )
    ),
    "base-to-file": SitePage(
        says(html(TEXT, '<base href="file:///etc/">'), does="A <base> that leads to local files.")
    ),
}


def _coded(
    text: str,
    codec: str,
    *,
    header: str | None = None,
    head: str = "",
    begin: bytes = b"",
    shown: str = "",
    does: str,
) -> SitePage:
    body = begin + html(text, head).replace("Käse", "Kaese", 1).encode(codec)
    content_type = "text/html" if header is None else f"text/html; charset={header}"
    return SitePage(says(body, content_type, does=does), text=shown or text)


JAPANESE, CHINESE, RUSSIAN = "チーズとパン、ﾊﾞﾀｰ", "奶酪和面包", "Сыр и хлеб"
_LATE = "<style>" + "/* cheese */" * 120 + "</style><meta charset=windows-1251>"
_HTTP_EQUIV = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'

CHARSET_PAGES: dict[str, SitePage] = {
    "charset-shift-jis": _coded(JAPANESE, "cp932", header="Shift_JIS", does="Shift_JIS by its header."),
    "charset-shift-jis-meta": _coded(
        JAPANESE, "cp932", head="<meta charset=sjis>", does="Shift_JIS by a meta element."
    ),
    "charset-gbk": _coded(CHINESE, "gbk", head=_HTTP_EQUIV, does="GBK that a meta http-equiv calls gb2312."),
    "charset-windows-1251": _coded(RUSSIAN, "cp1251", header='"windows-1251"', does="windows-1251, quoted."),
    "charset-windows-1251-meta": _coded(
        RUSSIAN, "cp1251", head="<meta charset='cp1251'>", does="windows-1251 by a meta element."
    ),
    "charset-utf-16-le": _coded(RUSSIAN, "utf-16-le", begin=b"\xff\xfe", does="UTF-16 LE with a BOM."),
    "charset-utf-16-be": _coded(CHINESE, "utf-16-be", begin=b"\xfe\xff", does="UTF-16 BE with a BOM."),
    "charset-utf-16-header": _coded(
        RUSSIAN, "utf-16-le", header="utf-16", does="UTF-16 LE by its header, without a BOM."
    ),
    "charset-wrong-header": _coded(
        "Käse",
        "utf-8",
        header="windows-1251",
        shown="KГ¤se",
        does="UTF-8 that the header calls windows-1251.",
    ),
    "charset-not-utf-8": _coded(
        "Käse", "cp1252", header="utf-8", shown="K\ufffdse", does="windows-1252 that the header calls UTF-8."
    ),
    "charset-unknown-label": _coded(
        RUSSIAN,
        "cp1251",
        header="klingon",
        head="<meta charset=windows-1251>",
        does="An unknown label in the header, and a meta element.",
    ),
    "charset-missing": _coded("Käse – 5 €", "cp1252", does="windows-1252 without any label."),
    "charset-missing-utf-8": _coded(RUSSIAN, "utf-8", does="UTF-8 without any label."),
    "charset-bom-and-header": _coded(
        RUSSIAN,
        "utf-8",
        begin=b"\xef\xbb\xbf",
        header="windows-1251",
        does="A BOM that contradicts the header.",
    ),
    "charset-header-and-meta": _coded(
        RUSSIAN,
        "cp1251",
        header="windows-1251",
        head="<meta charset=utf-8>",
        does="A meta element that contradicts the header.",
    ),
    "charset-meta-utf-16": _coded(
        RUSSIAN, "utf-8", head="<meta charset=utf-16>", does="UTF-8 that a meta element calls UTF-16."
    ),
    "charset-xml-declaration": _coded(
        RUSSIAN,
        "cp1251",
        begin=b'<?xml version="1.0" encoding="windows-1251"?>',
        does="windows-1251 by an XML declaration.",
    ),
    "charset-late-meta": _coded(
        RUSSIAN, "cp1251", head=_LATE, does="A meta element behind the first 1024 bytes."
    ),
}
