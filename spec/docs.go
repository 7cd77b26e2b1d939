package spec

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Docs holds the doc comments of generated identifiers, in our own words. A row is an error if no
// revision uses it, or if the revision at an end of its range does not use it.
type Docs struct {
	// Types holds the comments of types, by Go name.
	Types Texts `yaml:"types"`
	// Fields holds the comments of fields, by type and member, as in "Tool.name".
	Fields Texts `yaml:"fields"`
	// Properties holds the comments of fields by member name alone. They apply
	// to every type that has the member and no row in Fields.
	Properties Texts `yaml:"properties"`
	// Values holds the comments of enum values, by type and value, as in "Role.user".
	Values Texts `yaml:"values"`
	// Methods holds the comments of methods, by wire name. A text continues "MethodName ".
	Methods Texts `yaml:"methods"`
	// Packages holds a paragraph on a revision for the comment of its package, by revision.
	Packages Texts `yaml:"packages"`
	// Deprecated lists the deprecated features.
	Deprecated []Deprecation `yaml:"deprecated"`
	// Places knows the lines of the rows.
	Places `yaml:"-"`
}

// Texts holds the comments of a table, by key.
type Texts map[string]Rows

// Rows holds the comments of one identifier. At most one is for a revision. In YAML, the comment
// of an identifier that has the same one in all revisions is just its text.
type Rows []Text

// Text is a comment for the revisions of its range.
type Text struct {
	Range `yaml:",inline"`
	Text  string `yaml:"text"`
}

// UnmarshalYAML decodes a text or a list of rows.
func (r *Rows) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*r = Rows{{Text: n.Value}}
		return nil
	}
	var list []Text
	err := n.Load(&list, yaml.WithKnownFields())
	*r = list
	return err
}

// Deprecation marks the identifiers of a deprecated feature in the revisions of its range.
type Deprecation struct {
	Range `yaml:",inline"`
	// Text says what to use instead. It continues "Deprecated: ".
	Text string `yaml:"text"`
	// The identifiers have the keys of the tables of the same name.
	Types   []string `yaml:"types"`
	Fields  []string `yaml:"fields"`
	Values  []string `yaml:"values"`
	Methods []string `yaml:"methods"`
}

// DocRow is a comment or a mark of [Docs]. Path is its place in the file.
type DocRow struct {
	Table, Key, Path string
	Text
}

// Comments yields the rows of the tables, sorted by table and key.
func (d *Docs) Comments() iter.Seq[DocRow] {
	return func(yield func(DocRow) bool) {
		for _, table := range []struct {
			name string
			rows Texts
		}{
			{"fields", d.Fields}, {"methods", d.Methods}, {"packages", d.Packages},
			{"properties", d.Properties}, {"types", d.Types}, {"values", d.Values},
		} {
			for _, key := range slices.Sorted(maps.Keys(table.rows)) {
				for i, row := range table.rows[key] {
					path := table.name + "/" + key
					if row.Range != (Range{}) || len(table.rows[key]) > 1 {
						path = fmt.Sprintf("%s/%d", path, i)
					}
					if !yield(DocRow{table.name, key, path, row}) {
						return
					}
				}
			}
		}
	}
}

// Marks yields the identifiers of the deprecated features.
func (d *Docs) Marks() iter.Seq[DocRow] {
	return func(yield func(DocRow) bool) {
		for i, feature := range d.Deprecated {
			for _, table := range []struct {
				name string
				keys []string
			}{{"fields", feature.Fields}, {"methods", feature.Methods}, {"types", feature.Types}, {"values", feature.Values}} {
				for j, key := range table.keys {
					path := fmt.Sprintf("deprecated/%d/%s/%d", i, table.name, j)
					if !yield(DocRow{table.name, key, path, Text{feature.Range, feature.Text}}) {
						return
					}
				}
			}
		}
	}
}

// check returns an error for a row without a text, and for rows of one identifier whose ranges
// overlap.
func (d *Docs) check() error {
	var last DocRow
	for _, rows := range []iter.Seq[DocRow]{d.Comments(), d.Marks()} {
		for row := range rows {
			if strings.TrimSpace(row.Text.Text) == "" {
				return fmt.Errorf("%s: the row has no text", d.At(row.Path))
			}
		}
	}
	for row := range d.Comments() {
		if row.Table == last.Table && row.Key == last.Key && (last.Until == "" || row.Since <= last.Until) {
			return fmt.Errorf("%s: the row begins before the previous one ends", d.At(row.Path))
		}
		last = row
	}
	return nil
}

// ParseDocs parses a file of doc comments. Errors mention name.
func ParseDocs(name string, src []byte) (*Docs, error) {
	d := &Docs{}
	var err error
	if d.Places, err = decodeRows(name, src, d); err != nil {
		return nil, err
	}
	return d, d.check()
}

// Before returns docs with the comments of both, in which those of d take precedence. They hold for all
// revisions.
func (d *Docs) Before(other *Docs) *Docs {
	out := *other
	merge := func(into *Texts, from Texts) {
		both := maps.Clone(*into)
		if both == nil {
			both = Texts{}
		}
		maps.Copy(both, from)
		*into = both
	}
	merge(&out.Types, d.Types)
	merge(&out.Fields, d.Fields)
	merge(&out.Properties, d.Properties)
	merge(&out.Values, d.Values)
	merge(&out.Methods, d.Methods)
	return &out
}
