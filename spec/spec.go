// Package spec holds the facts the generator starts from: the pinned schema of
// every protocol revision, the errata that correct them, the overlay that says
// what a schema cannot say, and the doc comments.
//
// It knows how its files are written, not what they mean: package gen does.
package spec

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed pins.json errata.yaml overlay.yaml docs.yaml */schema.json
var embedded embed.FS

// Embedded returns the spec folder as it was when the program was built.
func Embedded() fs.FS { return embedded }

// Spec is the content of a spec folder.
type Spec struct {
	files fs.FS
	// Pins are sorted by revision, the oldest first.
	Pins       []Pin
	Errata     []Erratum
	Deviations []Deviation
	Overlay    *Overlay
	Docs       *Docs
}

// Pin says which upstream file the facts of a revision were taken from.
// Published schemas are edited after their release, so the revision's date
// alone pins nothing.
type Pin struct {
	Revision string `json:"revision"`
	// Commit is the upstream repository's commit, where it is known.
	Commit string `json:"commit,omitempty"`
	// SHA256 is the checksum of the upstream file, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Dialect is the $schema of the file.
	Dialect string `json:"dialect"`
}

// Load reads a spec folder.
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
	for name, into := range map[string]any{"errata.yaml": &errata, "overlay.yaml": s.Overlay, "docs.yaml": s.Docs} {
		src, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if err := decodeYAML(name, src, into); err != nil {
			return nil, err
		}
	}
	s.Errata, s.Deviations = errata.Errata, errata.Deviations
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

// Schema returns the facts of a pinned revision.
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

// decodeYAML reads YAML strictly: a key the type does not have is an error
// with its line.
func decodeYAML(name string, src []byte, into any) error {
	if err := yaml.UnmarshalWithOptions(src, into, yaml.Strict()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
