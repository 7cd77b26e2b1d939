package emit

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dave/jennifer/jen"

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
	// New returns a file without declarations.
	New func() *jen.File
	// Items is the number of parts of the content that may be in different files.
	Items int
	// Fill adds the items from first up to but not including end to a file. A source without
	// items has one file, too.
	Fill func(f *jen.File, first, end int)
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
	f := p.source.New()
	p.source.Fill(f, p.first, p.end)
	text, err := rendered(f)
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

// rendered returns the text of a file. Its imports are those of the standard library, and then all others, without
// names that repeat the end of a path.
func rendered(f *jen.File) ([]byte, error) {
	var text bytes.Buffer
	if err := f.Render(&text); err != nil {
		return nil, err
	}
	before, rest, ok := strings.Cut(text.String(), "\nimport ")
	if !ok {
		return text.Bytes(), nil
	}
	list, after, _ := strings.Cut(rest, "\n")
	if list == "(" {
		list, after, _ = strings.Cut(after, ")\n")
	}
	var standard, other []string
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		name, quoted, named := strings.Cut(line, " ")
		if named && strings.HasSuffix(quoted, "/"+name+`"`) {
			line = quoted
		}
		if first, _, _ := strings.Cut(line[strings.IndexByte(line, '"')+1:], "/"); strings.Contains(first, ".") {
			other = append(other, line)
		} else {
			standard = append(standard, line)
		}
	}
	var out bytes.Buffer
	out.WriteString(before)
	out.WriteString("\nimport ")
	switch {
	case len(standard)+len(other) == 1:
		out.WriteString(slices.Concat(standard, other)[0] + "\n")
	default:
		out.WriteString("(\n")
		for _, line := range standard {
			out.WriteString("\t" + line + "\n")
		}
		if standard != nil && other != nil {
			out.WriteByte('\n')
		}
		for _, line := range other {
			out.WriteString("\t" + line + "\n")
		}
		out.WriteString(")\n")
	}
	out.WriteString(after)
	return out.Bytes(), nil
}
