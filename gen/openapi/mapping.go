package openapi

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/config"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/yaml"
)

// Mapping is the file that says which operations become tools and what they are called. People edit
// it; an import adds new operations to it and changes nothing else.
type Mapping struct {
	// Server takes the place of the servers of the document.
	Server string
	// Limit is the length of a schema in bytes after which definitions are described by their type
	// alone. 0 means [DefaultLimit].
	Limit int
	// Include and Exclude select operations. A row with false excludes its operation, too.
	Include, Exclude Selection

	name string
	text []byte
	rows map[string]row // by key
	keys []string       // in the order of the file
	// insert is the offset of the line before which new rows are written, or -1 if there is no block
	// of rows. indent is the indentation of the rows.
	insert, indent int
}

// DefaultLimit is the default of [Mapping.Limit]. It is about two thousand tokens of a model.
const DefaultLimit = 8 << 10

// Selection selects operations.
type Selection struct {
	Tags []string
	// Paths are patterns of package path, such as /pets/*, or paths that end in /** for all below.
	Paths []string
	// Methods are HTTP methods.
	Methods []string
}

// row is the row of an operation in the file.
type row struct {
	where string // its place, for messages
	out   bool   // it does not become a tool
	choice
}

// ReadMapping reads a mapping file.
func ReadMapping(name string, text []byte) (*Mapping, error) {
	m := &Mapping{name: name, text: text, rows: map[string]row{}, insert: -1}
	err := config.Read(name, text, func(f *config.File) map[string]config.Reader {
		return map[string]config.Reader{
			"server": func(n *yaml.Node) {
				if m.Server = strings.TrimRight(f.Text(n, "server"), "/"); m.Server != "" && !complete(m.Server) {
					f.Fail(n, "server: expected a complete URL, such as https://api.example.com/v1, found %q", m.Server)
				}
			},
			"limit": func(n *yaml.Node) {
				var err error
				if m.Limit, err = strconv.Atoi(f.Text(n, "limit")); err != nil || m.Limit <= 0 {
					f.Fail(n, "limit: expected a number of bytes greater than 0")
				}
			},
			"include":    func(n *yaml.Node) { m.Include.read(f, n, "include") },
			"exclude":    func(n *yaml.Node) { m.Exclude.read(f, n, "exclude") },
			"operations": func(n *yaml.Node) { m.operations(f, n) },
		}
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (s *Selection) read(f *config.File, n *yaml.Node, what string) {
	into := func(key string, list *[]string) config.Reader {
		return func(n *yaml.Node) {
			f.Sequence(n, what+": "+key, func(n *yaml.Node) { *list = append(*list, f.Text(n, what+": "+key)) })
		}
	}
	f.Mapping(n, what, map[string]config.Reader{
		"tags": into("tags", &s.Tags), "methods": into("methods", &s.Methods),
		"paths": func(n *yaml.Node) {
			f.Sequence(n, what+": paths", func(n *yaml.Node) {
				pattern := f.Text(n, what+": paths")
				if _, err := path.Match(pattern, ""); err != nil {
					f.Fail(n, "%s: paths: %q is not a pattern: %v", what, pattern, err)
				}
				s.Paths = append(s.Paths, pattern)
			})
		},
	})
}

// operations reads the rows of operations.
func (m *Mapping) operations(f *config.File, n *yaml.Node) {
	members, ok := yaml.Members(n)
	if yaml.IsNull(n) {
		return
	}
	if !ok {
		f.Fail(n, `operations: expected a mapping, such as "GET /pets: list_pets"`)
		return
	}
	for _, member := range members {
		key := member.Name
		r := row{where: f.Where(member.Key)}
		selected, isBool := yaml.Bool(member.Value)
		_, isMapping := yaml.Members(member.Value)
		switch {
		case isBool:
			r.out = !selected
		case isMapping:
			f.Mapping(member.Value, key, map[string]config.Reader{
				"name":        func(n *yaml.Node) { r.name = f.Text(n, key+": name") },
				"description": func(n *yaml.Node) { r.description = f.Text(n, key+": description") },
				"output":      func(n *yaml.Node) { r.noOutput = !f.Bool(n, key+": output") },
			})
		default:
			r.name = f.Text(member.Value, key)
		}
		if _, twice := m.rows[key]; twice {
			f.Fail(member.Key, "operations: %q occurs twice", key)
		}
		m.rows[key] = r
		m.keys = append(m.keys, key)
	}
	if !yaml.IsFlow(n) && len(members) > 0 {
		m.insert, m.indent = lineOffset(m.text, members[0].Key.Line), members[0].Key.Column-1
	}
}

// lineOffset returns the offset of a line.
func lineOffset(text []byte, line int) int {
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	return offset
}

func (m *Mapping) limit() int { return cmp.Or(m.Limit, DefaultLimit) }

// selects reports whether an operation becomes a tool.
func (m *Mapping) selects(o *operation) bool {
	if r, has := m.rows[o.key()]; has && r.out {
		return false
	}
	return (m.Include.empty() || m.Include.has(o)) && !m.Exclude.has(o)
}

func (s *Selection) empty() bool { return len(s.Tags)+len(s.Paths)+len(s.Methods) == 0 }

// has reports whether a tag, path or method of a selection applies to an operation.
func (s *Selection) has(o *operation) bool {
	matches := func(pattern string) bool {
		if below, ok := strings.CutSuffix(pattern, "/**"); ok {
			return o.path == below || strings.HasPrefix(o.path, below+"/")
		}
		ok, _ := path.Match(pattern, o.path)
		return ok || pattern == o.path
	}
	return slices.ContainsFunc(o.tags(), func(tag string) bool { return slices.Contains(s.Tags, tag) }) ||
		slices.ContainsFunc(s.Methods, func(method string) bool { return strings.EqualFold(method, o.method) }) ||
		slices.ContainsFunc(s.Paths, matches)
}

// added returns the text of the file with rows for new operations.
func (m *Mapping) added(source string, rows []newRow) ([]byte, error) {
	if len(rows) == 0 {
		return m.text, nil
	}
	indent := cmp.Or(m.indent, 2)
	var b bytes.Buffer
	for _, r := range rows {
		about := r.summary
		if r.deprecated {
			about = strings.TrimSpace("(deprecated) " + about)
		}
		if about != "" {
			about = " # " + strings.Map(func(r rune) rune {
				if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' {
					return ' '
				}
				return r
			}, shortened(about))
		}
		value := "false"
		if !r.deprecated {
			value = scalar(r.name)
		}
		fmt.Fprintf(&b, "%s%s: %s%s\n", strings.Repeat(" ", indent), scalar(r.key), value, about)
	}
	switch {
	case m.insert >= 0:
		return slices.Concat(m.text[:m.insert], b.Bytes(), m.text[m.insert:]), nil
	case len(m.keys) > 0:
		return nil, fmt.Errorf("%s: the document has new operations (%d), and those of the file are in braces; write a line for each", m.name, len(rows))
	}
	head := m.text
	if len(head) == 0 {
		head = fmt.Appendf(nil, fileHead, source)
	} else if !bytes.HasSuffix(head, []byte("\n")) {
		head = append(slices.Clip(head), '\n')
	}
	offset := 0
	for line := range bytes.Lines(head) {
		offset += len(line)
		if bytes.HasPrefix(line, []byte("operations:")) {
			return slices.Concat(head[:offset], b.Bytes(), head[offset:]), nil
		}
	}
	return slices.Concat(head, []byte("operations:\n"), b.Bytes()), nil
}

// shortened returns the beginning of a text for a comment.
func shortened(text string) string { return report.Short(text, 100) }

// scalar returns a text, quoted if YAML would read it as something else.
func scalar(text string) string {
	if strings.ContainsAny(text, "#:\"'\\\t\n") || strings.HasSuffix(text, " ") || slices.Contains([]string{"true", "false", "null"}, strings.ToLower(text)) {
		return string(jsonschema.Text(text))
	}
	return text
}

// newRow is a row that an import adds.
type newRow struct {
	key, name, summary string
	deprecated         bool // so that it does not become a tool
}

// fileHead begins a new file.
const fileHead = `# Which operations of %s become tools, and what the tools are called.
# "mcpgen tools import --openapi" reads this file and adds operations that are new in the document.
# It is yours to edit:
#
#   server: https://api.example.com/v1      # in place of the servers of the document
#   limit: 8192                             # bytes of a schema after which references are cut
#   include: {tags: [pets], paths: [/pets/**], methods: [GET]}
#   exclude: {tags: [admin]}
#   operations:
#     GET /pets: list_pets                  # the name of the tool
#     DELETE /pets/{id}: false              # not a tool
#     POST /pets: {name: add_pet, description: Adds a pet., output: false}
#
# With "output: false" the tool has no output schema, and its result is the text of the answer.
operations:
`
