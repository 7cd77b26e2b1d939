package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// charted are the rows of the chart with their titles.
var charted = []struct{ row, title string }{
	{"inprocess/call", "A tool call in process"},
	{"stdio/call/own", "A tool call over stdio"},
	{"http/json/own/1", "A tool call over HTTP, one at a time"},
	{"http/json/own/64", "A tool call over HTTP, 64 at a time"},
	{"codec/decode/result", "Decoding a result of 1.5 KB"},
	{"codec/encode/result", "Encoding a result of 1.5 KB"},
	{"list/handler/1000", "Listing 1,000 tools"},
	{"program/start", "Process start to the first answer"},
}

// colours are the colours of the subjects in order. They and the grey of the text are readable
// on white and on black.
var colours = []struct{ subject, colour string }{
	{floor, "#8c959f"},
	{mcpgen, "#2f81f7"},
	{mcpGo, "#bf8700"},
	{goSDK, "#a371f7"},
}

// The lengths in the chart.
const (
	chartWidth  = 860
	panelWidth  = 410
	panelHeight = 122
	panelGap    = 40
	chartTop    = 34
	labelWidth  = 66
	barWidth    = 264
	barHeight   = 14
	barStep     = 21
	textColour  = "#6e7781"
)

// writeChart writes an SVG image with a panel for each row and a bar for each subject. The
// longest bar of a panel fills its width.
func (r *Report) writeChart(w io.Writer) error {
	var rows []*Result
	var titles []string
	for _, c := range charted {
		for _, row := range r.Rows {
			if row.Name == c.row {
				rows, titles = append(rows, row), append(titles, c.title)
			}
		}
	}
	height := chartTop + (len(rows)+1)/2*panelHeight + 16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="13" fill="%s">`+"\n", chartWidth, height, textColour)
	b.WriteString("<title>How long mcpgen, mcp-go and the official Go SDK take, beside the floor</title>\n")
	text(&b, 0, 14, "", "Time of one operation: shorter is better. The floor moves the same bytes and does nothing else.")
	for i, row := range rows {
		row.panel(&b, i%2*(panelWidth+panelGap), chartTop+i/2*panelHeight, titles[i])
	}
	e := r.Environment
	text(&b, 0, height-4, `font-size="11"`, e.line("github.com/mark3labs/mcp-go", "github.com/modelcontextprotocol/go-sdk"))
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// panel writes a row at a position.
func (r *Result) panel(b *strings.Builder, x, y int, title string) {
	longest := 0.0
	for _, c := range colours {
		v, _ := r.value(c.subject, r.Unit)
		longest = max(longest, v)
	}
	text(b, x, y+14, `font-weight="600"`, title)
	y += 24
	for _, c := range colours {
		v, ok := r.value(c.subject, r.Unit)
		if !ok {
			continue
		}
		weight := ""
		if c.subject == mcpgen {
			weight = `font-weight="600"`
		}
		length := max(v/longest*barWidth, 1)
		text(b, x, y+12, weight, c.subject)
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n", x+labelWidth, y, length, barHeight, c.colour)
		text(b, x+labelWidth+int(length)+6, y+12, weight, format(v, r.Unit))
		y += barStep
	}
}

// text writes a line of text.
func text(b *strings.Builder, x, y int, attributes, line string) {
	if attributes != "" {
		attributes = " " + attributes
	}
	fmt.Fprintf(b, `<text x="%d" y="%d"%s>`, x, y, attributes)
	xml.EscapeText(b, []byte(line)) // a Builder does not fail
	b.WriteString("</text>\n")
}
