// The peer: Colly with hand-written loops, as its users write them.
//
//	colly-peer WORKLOAD BASE_URL STARTS_FILE OUTPUT
package main

import (
	"bufio"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/PuerkitoBio/goquery"
	"github.com/gocolly/colly/v2"
)

const inFlight = 32

// rows takes lines from all requests at once.
type rows struct {
	mutex sync.Mutex
	file  *bufio.Writer
}

func (r *rows) write(lines *strings.Builder) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if _, err := r.file.WriteString(lines.String()); err != nil {
		log.Fatal(err)
	}
}

// tables reads 281 rows a company: its facts, and two pages of figures that it links to.
func tables(collector *colly.Collector, out *rows) {
	collector.OnHTML("#facts", func(table *colly.HTMLElement) {
		name := table.Request.Ctx.Get("name")
		var lines strings.Builder
		table.DOM.Find("tr").Each(func(_ int, row *goquery.Selection) {
			cells := row.Children()
			fmt.Fprintf(&lines, "%s|company|%s||%s\n", name, cells.Eq(0).Text(), cells.Eq(1).Text())
		})
		out.write(&lines)
	})
	collector.OnHTML("#tables a[href]", func(link *colly.HTMLElement) {
		if err := link.Request.Visit(link.Attr("href")); err != nil {
			log.Fatal(err)
		}
	})
	collector.OnHTML("#figures", func(table *colly.HTMLElement) {
		name := table.Request.Ctx.Get("name")
		var years []string
		var lines strings.Builder
		table.DOM.Find("tr").Each(func(at int, row *goquery.Selection) {
			var cells []string
			row.Children().Each(func(_ int, cell *goquery.Selection) { cells = append(cells, cell.Text()) })
			if at == 0 {
				years = cells
				return
			}
			for column := 1; column < len(cells); column++ {
				lines.WriteString(name + "|table|" + cells[0] + "|" + years[column] + "|" + cells[column] + "\n")
			}
		})
		out.write(&lines)
	})
}

// books reads 100 rows a page.
func books(collector *colly.Collector, out *rows) {
	collector.OnHTML("ol.row", func(list *colly.HTMLElement) {
		name := list.Request.Ctx.Get("name")
		var lines strings.Builder
		list.DOM.Children().Each(func(_ int, row *goquery.Selection) {
			number := row.ChildrenFiltered("b").Text()
			row.ChildrenFiltered("div").Each(func(_ int, field *goquery.Selection) {
				kind, _ := field.Attr("class")
				lines.WriteString(name + "|books|" + number + "|" + kind + "|" + field.Text() + "\n")
			})
		})
		out.write(&lines)
	})
}

// cards reads 20 records a page, as books does its rows.
func cards(collector *colly.Collector, out *rows) {
	collector.OnHTML("ol.row", func(list *colly.HTMLElement) {
		var lines strings.Builder
		list.ForEach("li", func(_ int, card *colly.HTMLElement) {
			lines.WriteString(card.ChildText("b"))
			for _, field := range []string{"title", "author", "price", "stock", "rating"} {
				lines.WriteString("," + card.ChildText("."+field))
			}
			lines.WriteString("\n")
		})
		out.write(&lines)
	})
}

// labels reads 10 rows a page.
func labels(collector *colly.Collector, out *rows) {
	collector.OnHTML("dl.facts", func(list *colly.HTMLElement) {
		name := list.Request.Ctx.Get("name")
		company := ""
		var lines strings.Builder
		list.DOM.ChildrenFiltered("dt").Each(func(_ int, label *goquery.Selection) {
			value := label.Next().Text()
			if label.Text() == "Company" {
				company = value
				return
			}
			lines.WriteString(name + "|books|" + label.Text() + "|" + company + "|" + value + "\n")
		})
		out.write(&lines)
	})
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("colly-peer WORKLOAD BASE_URL STARTS_FILE OUTPUT")
	}
	workload, base, starts, output := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	file, err := os.Create(output)
	if err != nil {
		log.Fatal(err)
	}
	out := &rows{file: bufio.NewWriter(file)}
	collector := colly.NewCollector(colly.Async(true))
	if err := collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: inFlight}); err != nil {
		log.Fatal(err)
	}
	collector.WithTransport(&http.Transport{MaxIdleConnsPerHost: inFlight})
	collector.OnError(func(response *colly.Response, err error) { log.Fatal(response.Request.URL, ": ", err) })
	prefix := "books"
	switch workload {
	case "tables":
		prefix = "company"
		tables(collector, out)
	case "labels":
		labels(collector, out)
	case "cards":
		cards(collector, out)
	default:
		books(collector, out)
	}
	visit(collector, base, starts, prefix)
	collector.Wait()
	if err := out.file.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}

// visit asks for every page of the file, each under a name of its own.
func visit(collector *colly.Collector, base, starts, prefix string) {
	file, err := os.Open(starts)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for number := 0; lines.Scan(); number++ {
		context := colly.NewContext()
		context.Put("name", fmt.Sprintf("%s%d", prefix, number))
		if err := collector.Request("GET", base+lines.Text(), nil, context, nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}
