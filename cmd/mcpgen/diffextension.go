package main

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/gen"
)

// extensionOf returns the extension that an argument of diff names, and the file with its schema, which is ""
// for a pinned extension. A prefix of an identifier has a dot, so that paths with "=" are not taken for one.
func (d *differ) extensionOf(arg string) (name, file string) {
	if d.project.Extension(arg) != nil {
		return arg, ""
	}
	name, file, named := strings.Cut(arg, "=")
	prefix, _, _ := strings.Cut(name, "/")
	if !named || gen.CheckExtension(name) != nil || !strings.Contains(prefix, ".") {
		return "", ""
	}
	return name, file
}

// pinnedExtension returns the side of a pinned extension.
func (d *differ) pinnedExtension(name string) (*diffSide, error) {
	src, err := gen.PinnedExtension(d.project, name)
	if err != nil {
		return nil, err
	}
	side := &diffSide{label: name}
	return side, d.extensionSide(side, src)
}

// extensionSide reads a side that is the schema of an extension, leniently.
func (d *differ) extensionSide(side *diffSide, x gen.ExtensionSource) (err error) {
	if x.Overlay, err = overlayOf(d.project, x.Name, d.overlay); err != nil {
		return err
	}
	lenient, err := gen.LowerExtensionLenient(d.project, x)
	if err != nil {
		return fmt.Errorf("%s: %w", side.label, err)
	}
	return d.lenient(side, lenient)
}
