// Package spec holds the input of the generator: the pinned schema of each
// protocol revision, the errata that correct it, the overlay with facts that
// schemas do not contain, and the doc comments.
//
// It parses its files and does not interpret them; package gen does.
package spec

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

//go:embed pins.json errata.yaml overlay.yaml convert.yaml docs.yaml */schema.json ext
var embedded embed.FS

// Embedded returns the spec folder that is built into the program.
func Embedded() fs.FS { return embedded }

// Spec is the content of a spec folder.
type Spec struct {
	files fs.FS
	// Pins are sorted by revision, the oldest first.
	Pins       []Pin
	Errata     []Erratum
	Deviations []Deviation
	Overlay    *Overlay
	Convert    *Conversions
	Docs       *Docs
	// Extensions are sorted by name.
	Extensions []*Extension
}

// Pin identifies the upstream file of a revision. Published schemas are edited
// after their release, so the revision's date alone does not identify a file.
type Pin struct {
	Revision string `json:"revision"`
	// Commit is the commit of the upstream repository, or "" if unknown.
	Commit string `json:"commit,omitempty"`
	// SHA256 is the checksum of the upstream file, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Dialect is the $schema of the file.
	Dialect string `json:"dialect"`
	// Current marks the revision that package mcp of the generated code stands for. Without a
	// mark it is the newest one. An import does not move the mark, because code that uses
	// package mcp may then need changes.
	Current bool `json:"current,omitempty"`
}

// Load reads a spec folder. It needs no convert.yaml. Unknown keys in its YAML files are errors.
func Load(files fs.FS) (*Spec, error) {
	s := &Spec{files: files, Overlay: &Overlay{}, Docs: &Docs{}}
	pins, err := fs.ReadFile(files, "pins.json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(pins, &s.Pins); err != nil {
		return nil, fmt.Errorf("pins.json: %w", err)
	}
	slices.SortFunc(s.Pins, func(a, b Pin) int { return strings.Compare(a.Revision, b.Revision) })
	var errata errataFile
	for _, file := range []struct {
		name   string
		into   any
		places *Places
	}{
		{"errata.yaml", &errata, &errata.places},
		{"overlay.yaml", s.Overlay, &s.Overlay.Places},
		{"docs.yaml", s.Docs, &s.Docs.Places},
	} {
		src, err := fs.ReadFile(files, file.name)
		if err != nil {
			return nil, err
		}
		if *file.places, err = decodeRows(file.name, src, file.into); err != nil {
			return nil, err
		}
	}
	for i := range errata.Errata {
		errata.Errata[i].Where = errata.places.At(fmt.Sprintf("errata/%d", i))
	}
	s.Errata, s.Deviations = errata.Errata, errata.Deviations
	if err := s.Docs.check(); err != nil {
		return nil, err
	}
	const conversions = "convert.yaml"
	src, err := fs.ReadFile(files, conversions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.Convert, err = ParseConversions(conversions, src); err != nil {
		return nil, err
	}
	if err := s.loadExtensions(); err != nil {
		return nil, err
	}
	return s, nil
}

// Pin returns the pin of a revision.
func (s *Spec) Pin(revision string) (Pin, bool) {
	for _, p := range s.Pins {
		if p.Revision == revision {
			return p, true
		}
	}
	return Pin{}, false
}

// Current returns the index of the revision that package mcp stands for.
func (s *Spec) Current() int {
	if i := slices.IndexFunc(s.Pins, func(p Pin) bool { return p.Current }); i >= 0 {
		return i
	}
	return len(s.Pins) - 1
}

// Schema returns the schema.json of a pinned revision.
func (s *Spec) Schema(revision string) ([]byte, error) {
	return fs.ReadFile(s.files, path.Join(revision, "schema.json"))
}

// Revisions returns the pinned revisions, the oldest first.
func (s *Spec) Revisions() []string {
	var revisions []string
	for _, p := range s.Pins {
		revisions = append(revisions, p.Revision)
	}
	return revisions
}

// decodeRows decodes a YAML file, which may be empty, and returns the places of its rows. It reports a key that the
// type does not have as an error with its line.
func decodeRows(name string, src []byte, into any) (Places, error) {
	var doc yaml.Node
	p := Places{name, map[string]int{}}
	loader, err := yaml.NewLoader(bytes.NewReader(src))
	if err == nil {
		err = loader.Load(&doc)
	}
	if err == nil {
		p.within("", &doc)
		err = doc.Load(into, yaml.WithKnownFields())
	}
	if err == nil {
		if err = loader.Load(&doc); err == nil {
			return Places{}, fmt.Errorf("%s:%d: the file has a second document", name, doc.Line)
		}
	}
	if fault, ok := errors.AsType[*yaml.LoadError](err); ok {
		message := unknownField.ReplaceAllString(fault.Message, `unknown field "$1"`)
		return Places{}, fmt.Errorf("%s:%d:%d: %s", name, fault.Mark.Line, fault.Mark.Column, message)
	}
	if err != io.EOF {
		return Places{}, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// unknownField matches the library's error about a key that a type does not have.
var unknownField = regexp.MustCompile(`^field (\S+) not found in type .*`)
