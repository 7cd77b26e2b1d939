package interop

import (
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// picture is the picture of the quick start in README.md.
const picture = "../examples/quickstart.svg"

// screen draws what a terminal shows as an SVG image.
type screen struct{ lines []screenLine }

type screenLine struct{ text, colour string }

// The colours of a screen, which has a dark background on every page.
const (
	plainColour   = "#c9d1d9"
	commandColour = "#ffffff"
	removedColour = "#ff7b72"
	addedColour   = "#7ee787"
)

// The size of a screen. A monospaced character of 13 pixels is at most 8 pixels wide.
const (
	screenColumns = 112
	columnWidth   = 8
	lineHeight    = 19
	screenMargin  = 16
)

// command adds a command and what it printed.
func (s *screen) command(command, printed string) {
	s.add("$ "+command, commandColour)
	if printed != "" {
		s.add(printed, plainColour)
	}
	s.add("", plainColour)
}

// diff adds the edit of a file.
func (s *screen) diff(file, text string) {
	s.add(file, commandColour)
	for line := range strings.Lines(text) {
		colour := plainColour
		switch line[0] {
		case '-':
			colour = removedColour
		case '+':
			colour = addedColour
		}
		s.add(line, colour)
	}
	s.add("", plainColour)
}

// add adds lines of one colour, and continues long ones on the next line.
func (s *screen) add(text, colour string) {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "    ")
	for line := range strings.SplitSeq(text, "\n") {
		for len(line) > screenColumns {
			cut := strings.LastIndexByte(line[:screenColumns], ' ')
			if cut <= 0 {
				cut = screenColumns
			}
			s.lines = append(s.lines, screenLine{line[:cut], colour})
			line = "    " + strings.TrimLeft(line[cut:], " ")
		}
		s.lines = append(s.lines, screenLine{line, colour})
	}
}

// svg returns the image.
func (s *screen) svg() string {
	lines := s.lines
	for len(lines) > 0 && lines[len(lines)-1].text == "" {
		lines = lines[:len(lines)-1]
	}
	width, height := screenColumns*columnWidth+2*screenMargin, len(lines)*lineHeight+2*screenMargin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" `+
		`font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	for i, line := range lines {
		if line.text == "" {
			continue
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" xml:space="preserve">`, screenMargin, screenMargin+(i+1)*lineHeight-5, line.colour)
		xml.EscapeText(&b, []byte(line.text))
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// check compares the image with a file. Numbers may differ, such as those of lines and milliseconds. The
// flag -update rewrites the file.
func (s *screen) check(t *testing.T, file string) {
	t.Helper()
	got := s.svg()
	if *golden.Update {
		golden.Check(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	numbers := regexp.MustCompile(`[0-9]+`)
	if diff := cmp.Diff(numbers.ReplaceAllString(string(want), "N"), numbers.ReplaceAllString(got, "N")); diff != "" {
		t.Errorf("%s (-want +got), use -update to rewrite it:\n%s", file, diff)
	}
}
