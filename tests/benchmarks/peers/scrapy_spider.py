"""The peer: Scrapy spiders, hand-written as its users write them; run by Scrapy's own Python.

`python scrapy_spider.py [--item-loader] WORKLOAD BASE_URL STARTS_FILE OUTPUT`
"""

# mypy: ignore-errors
from __future__ import annotations

import sys

import scrapy
from itemloaders.processors import TakeFirst
from scrapy.crawler import CrawlerProcess
from scrapy.loader import ItemLoader

COLUMNS = ["name", "group", "line", "year", "value"]
FIELDS = ["title", "author", "price", "stock", "rating"]


class Tables(scrapy.Spider):
    """281 rows a company."""

    name = "tables"

    def start_requests(self):
        for number, url in enumerate(self.urls):
            yield scrapy.Request(url, self.parse, cb_kwargs={"name": f"company{number}"})

    async def start(self):
        for request in self.start_requests():
            yield request

    def parse(self, response, name):
        for row in response.css("#facts tr"):
            yield {
                "name": name,
                "group": "company",
                "line": row.css("td:nth-child(1)::text").get(),
                "year": "",
                "value": row.css("td:nth-child(2)::text").get(),
            }
        for link in response.css("#tables a::attr(href)").getall():
            yield response.follow(link, self.parse_table, cb_kwargs={"name": name})

    def parse_table(self, response, name):
        table = response.css("#figures")
        years = table.css("tr:nth-child(1) > td::text").getall()
        for row in table.css("tr")[1:]:
            cells = row.css("td::text").getall()
            for column in range(1, 6):
                yield {
                    "name": name,
                    "group": "table",
                    "line": cells[0],
                    "year": years[column],
                    "value": cells[column],
                }


class Books(Tables):
    """100 rows a page."""

    name = "books"

    def start_requests(self):
        for number, url in enumerate(self.urls):
            yield scrapy.Request(url, self.parse, cb_kwargs={"name": f"books{number}"})

    def parse(self, response, name):
        for row in response.css("ol.row > li"):
            number = row.css("b::text").get()
            for field in row.xpath("./div"):
                yield {
                    "name": name,
                    "group": "books",
                    "line": number,
                    "year": field.attrib["class"],
                    "value": field.css("::text").get(),
                }


class Cards(Books):
    """20 items a page."""

    name = "cards"

    def parse(self, response, name):
        for card in response.css("ol.row > li"):
            yield {
                "number": card.css("b::text").get(),
                **{field: card.css(f".{field}::text").get() for field in FIELDS},
            }


class Labels(Books):
    """10 rows a page."""

    name = "labels"

    def parse(self, response, name):
        values = {}
        for label in response.css("dl.facts > dt"):
            values[label.css("::text").get()] = label.xpath("following-sibling::dd[1]/text()").get()
        company = values.pop("Company")
        for label, value in values.items():
            yield {"name": name, "group": "books", "line": label, "year": company, "value": value}


class LoadedCards(Books):
    """The same items, made by an ItemLoader each."""

    name = "loaded-cards"

    def parse(self, response, name):
        for card in response.css("ol.row > li"):
            loader = ItemLoader(item={}, selector=card)
            loader.default_output_processor = TakeFirst()
            loader.add_css("number", "b::text")
            for field in FIELDS:
                loader.add_css(field, f".{field}::text")
            yield loader.load_item()


def main() -> None:
    """Run one spider to its end."""
    *options, workload, base_url, starts, output = sys.argv[1:]
    cards = LoadedCards if options else Cards
    spider = {"tables": Tables, "books": Books, "cards": cards, "labels": Labels}[workload]
    is_cards = workload == "cards"
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
                    "fields": ["number", *FIELDS] if is_cards else COLUMNS,
                    "item_export_kwargs": {
                        "delimiter": "," if is_cards else "|",
                        "include_headers_line": False,
                    },
                }
            },
        }
    )
    process.crawl(spider, urls=urls)
    process.start()


if __name__ == "__main__":
    main()
