package emit

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
)

const (
	// maxLines is the length above which a file is divided.
	maxLines = 2000
	// goalLines is the approximate length of the files that a source is divided into. It leaves
	// room, because items differ in length.
	goalLines = maxLines * 3 / 4
)

// A Source renders one generated file, or several if one would be too long.
type Source struct {
	// Name is the path of the file. Further files are numbered: a_2.gen.go after a.gen.go.
	Name string
	code.File
	// Items is the number of parts of the content that may be in different files.
	Items int
	// Fill adds the items from first up to but not including end to a file. A source without
	// items has one file, too.
	Fill func(w *code.Writer, first, end int)
}

// Render renders sources in parallel. The files are in the order of their sources.
func Render(sources ...Source) ([]files.File, error) {
	texts, errs := make([][][]byte, len(sources)), make([]error, len(sources))
	Parallel(len(sources), func(i int) { texts[i], errs[i] = part{&sources[i], 0, sources[i].Items}.render() })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var out []files.File
	for i := range sources {
		for n, text := range texts[i] {
			out = append(out, files.File{Path: numbered(sources[i].Name, n+1), Content: text})
		}
	}
	return out, nil
}

// numbered returns the name of the n-th file of a source.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	folder := strings.LastIndexByte(name, '/') + 1
	base, rest, _ := strings.Cut(name[folder:], ".")
	return fmt.Sprintf("%s%s_%d.%s", name[:folder], base, n, rest)
}

// part is the content of one file.
type part struct {
	source     *Source
	first, end int
}

// render renders a part. It divides the part if it turns out to be too long.
func (p part) render() ([][]byte, error) {
	var w code.Writer
	p.source.Fill(&w, p.first, p.end)
	text, err := p.source.File.Render(w.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.source.Name, err)
	}
	lines, items := bytes.Count(text, []byte{'\n'}), p.end-p.first
	if lines <= maxLines || items < 2 {
		return [][]byte{text}, nil
	}
	count := min(lines/goalLines+1, items)
	var all [][]byte
	for i := range count {
		texts, err := part{p.source, p.first + i*items/count, p.first + (i+1)*items/count}.render()
		if err != nil {
			return nil, err
		}
		all = append(all, texts...)
	}
	return all, nil
}

// Parallel calls f with 0 to n-1 on all processors.
func Parallel(n int, f func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
}
