package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Extension is a pinned extension of a revision. Its folder below ext is named after the last part of
// its identifier and holds its schema.json and its own overlay.yaml and docs.yaml, which have no ranges.
type Extension struct {
	// Name is the identifier: "io.modelcontextprotocol/tasks".
	Name string `json:"extension"`
	// Revision is the revision that the extension extends.
	Revision string `json:"revision"`
	// Commit is the commit of the upstream repository, or "" if unknown.
	Commit string `json:"commit,omitempty"`
	// SHA256 is the checksum of the upstream file, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Dialect is the $schema of the file.
	Dialect string `json:"dialect"`

	// Schema is the content of schema.json.
	Schema []byte `json:"-"`
	// Overlay and Docs are never nil.
	Overlay *Overlay `json:"-"`
	Docs    *Docs    `json:"-"`
}

// ExtensionPins is the file that lists the extensions.
const ExtensionPins = "ext/pins.json"

// ExtensionFolder returns the folder of an extension.
func ExtensionFolder(name string) string {
	return path.Join("ext", name[strings.LastIndexByte(name, '/')+1:])
}

// Extension returns the pin of an extension, or nil.
func (s *Spec) Extension(name string) *Extension {
	i := slices.IndexFunc(s.Extensions, func(x *Extension) bool { return x.Name == name })
	if i < 0 {
		return nil
	}
	return s.Extensions[i]
}

// loadExtensions reads the pinned extensions. A folder without the list has none.
func (s *Spec) loadExtensions() error {
	src, err := fs.ReadFile(s.files, ExtensionPins)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(src, &s.Extensions); err != nil {
		return fmt.Errorf("%s: %w", ExtensionPins, err)
	}
	slices.SortFunc(s.Extensions, func(a, b *Extension) int { return strings.Compare(a.Name, b.Name) })
	for _, x := range s.Extensions {
		folder := ExtensionFolder(x.Name)
		if x.Schema, err = fs.ReadFile(s.files, path.Join(folder, "schema.json")); err != nil {
			return err
		}
		x.Overlay, x.Docs = &Overlay{}, &Docs{}
		if err := s.readRows(path.Join(folder, "overlay.yaml"), x.Overlay, &x.Overlay.Places); err != nil {
			return err
		}
		if err := s.readRows(path.Join(folder, "docs.yaml"), x.Docs, &x.Docs.Places); err != nil {
			return err
		}
		if err := x.Docs.check(); err != nil {
			return err
		}
	}
	return nil
}

// readRows decodes a file if it exists.
func (s *Spec) readRows(name string, into any, places *Places) error {
	src, err := fs.ReadFile(s.files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	*places, err = decodeRows(name, src, into)
	return err
}
