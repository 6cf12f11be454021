"""The peer of the kinds: a Scrapy spider for each, as its users write them; run by Scrapy's own Python.

`python kinds_spider.py KIND BASE_URL STARTS_FILE OUTPUT`. Where a kind has JavaScript the spider does that
in Python.
"""

# mypy: ignore-errors
from __future__ import annotations

import re
import sys
from calendar import monthrange
from datetime import datetime

import scrapy
from scrapy.crawler import CrawlerProcess

FACTS = [f"Fact {number}" for number in range(10)]
LINES = re.compile(r"line \d?[05]|Sum.*", re.ASCII)
VALUES = re.compile(r"\d+\.00|-", re.ASCII)


def table(response):
    """(line, head of the column, value) of each cell."""
    first, *lines = response.css("#figures tr")
    heads = first.css("td::text").getall()[1:]
    for line in lines:
        name, *values = line.css("td::text").getall()
        for head, value in zip(heads, values, strict=True):
            yield name, head, value


def stopped_table(response):
    for name, head, value in table(response):
        if name != "line 3" and not re.fullmatch("line .*0", name):
            month = datetime.strptime(head, "%b %Y")
            last = monthrange(month.year, month.month)[1]
            yield name, month.replace(day=last).strftime("%Y-%m-%d"), value


def regex_filters(response):
    for name, year, value in table(response):
        if not LINES.fullmatch(name) and year not in ("2019", "2021") and not VALUES.fullmatch(value):
            yield name, year, value


def script_dims(response):
    for name, year, value in table(response):
        yield name, "long" if len(name) > 6 else "short", year, value


def scripter(response):
    for name, year, value in table(response):
        yield name, year, str(int(float(value) + 0.5))


def xpath_functions(response):
    for name, year, value in table(response):
        yield name.partition("line ")[2], "y" + year, " ".join(value.split())


def labels(label, value):
    """(label, company, value) of ten labels."""

    def rows(response):
        company = response.css("h1::text").get()
        found = {each.css("::text").get(): each.xpath(value).get() for each in response.css(label)}
        for name in FACTS:
            yield name, company, found[name]

    return rows


def label_table(response):
    facts = response.css("table.facts")
    company = facts.css("caption::text").get()
    for line in facts.css("tr"):
        yield line.css("th::text").get(), company, line.css("td::text").get()


def links(response):
    for link in response.css("ul.links a"):
        yield link.attrib["href"], link.css("::text").get()


def cards(response):
    for card in response.css("ol.row article"):
        yield (
            card.css("h3 > a::attr(title)").get(),
            card.css(".author::text").get(),
            card.css(".stock::text").get(),
            card.css(".rating::attr(class)").get(),
            card.css(".price::text").get(),
        )


def four_tasks(response):
    yield "title", response.css("h1::text").get()
    for label in response.css("dt"):
        if label.css("::text").get() in ("Fact 0", "Fact 4", "Fact 9"):
            yield label.css("::text").get(), label.xpath("following-sibling::dd[1]/text()").get()
    yield from table(response)
    yield from links(response)


BESIDE = "following-sibling::*[1]/text()"
KINDS = {
    "cards_block": cards,
    "cards_records": cards,
    "deep_page": table,
    "four_tasks": four_tasks,
    "label_table": label_table,
    "labels_contains": labels("dt", BESIDE),
    "labels_matches_own": labels("#facts > div.label", BESIDE),
    "labels_siblings": labels("h4", "following-sibling::p[2]/text()"),
    "large_page": table,
    "links": links,
    "long_table": table,
    "plain_table": table,
    "regex_filters": regex_filters,
    "script_dims": script_dims,
    "scripter": scripter,
    "stopped_table": stopped_table,
    "xpath_functions": xpath_functions,
    "xpath_labels": labels("dt", BESIDE),
    "xpath_table": table,
}


class Kind(scrapy.Spider):
    """The rows of one kind."""

    name = "kind"

    def start_requests(self):
        for url in self.urls:
            yield scrapy.Request(url, self.parse)

    async def start(self):
        for request in self.start_requests():
            yield request

    def parse(self, response):
        for row in KINDS[self.kind](response):
            yield {f"column {at}": value for at, value in enumerate(row)}


def main() -> None:
    """Run one spider to its end."""
    kind, base_url, starts, output = sys.argv[1:]
    with open(starts) as file:
        urls = [base_url + line.strip() for line in file]
    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": 32,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": False,
            "LOG_LEVEL": "ERROR",
            "TELNETCONSOLE_ENABLED": False,
            "FEEDS": {
                output: {
                    "format": "csv",
                    "fields": [f"column {at}" for at in range(5)],
                    "item_export_kwargs": {"delimiter": "|", "include_headers_line": False},
                }
            },
        }
    )
    process.crawl(Kind, urls=urls, kind=kind)
    process.start()


if __name__ == "__main__":
    main()
