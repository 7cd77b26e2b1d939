package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// versionInList is the value of --check-version for versions in the lists themselves.
const versionInList = "list"

// bump has the versions of the two sides of a comparison.
type bump struct{ old, new string }

// bump returns the versions of the sides of a comparison, or nil if a side does not exist.
func (d *differ) bump(cmd *cobra.Command, p pairing) (*bump, error) {
	if d.versions == "" || p.added || p.removed {
		return nil, nil
	}
	old, err := d.versionOf(cmd, p.old)
	if err != nil {
		return nil, err
	}
	new, err := d.versionOf(cmd, p.new)
	return &bump{old, new}, err
}

// versionOf returns the version of a side: that in the list, or that in a file beside it.
func (d *differ) versionOf(cmd *cobra.Command, arg string) (string, error) {
	name := arg
	if d.versions != versionInList {
		object, ok, err := parseGit(arg)
		switch {
		case err != nil:
			return "", err
		case ok:
			name = gitObject{object.rev, path.Join(path.Dir(object.path), filepath.ToSlash(d.versions))}.String()
		case strings.Contains(arg, ":") || arg == "-":
			return "", fmt.Errorf("--check-version %s: %s is no file, so there is none beside it", d.versions, arg)
		default:
			name = filepath.Join(filepath.Dir(arg), d.versions)
		}
	} else if arg == "-" || strings.HasPrefix(arg, "cmd:") || strings.HasPrefix(arg, "url:") {
		return "", fmt.Errorf("--check-version: %s is no file with a version", arg)
	}
	text, err := readSide(cmd.Context(), nil, name)
	if err != nil {
		return "", fmt.Errorf("--check-version: %w", err)
	}
	if bytes.HasPrefix(text, []byte("PK\x03\x04")) { // a bundle
		if text, err = manifestOf(text); err != nil {
			return "", fmt.Errorf("--check-version: %s: %w", name, err)
		}
	}
	version := ""
	if members, err := catalog.JSON(name, text); err == nil && wire.Raw(members).Kind() == wire.KindObject {
		o := wire.Object(members)
		if version = o.GetString("version"); version == "" {
			server, _ := o.Get("serverInfo")
			version = wire.Object(server).GetString("version")
		}
	}
	if version == "" {
		return "", fmt.Errorf("--check-version: %s has no member version, and none in serverInfo", name)
	}
	return version, nil
}

// manifestOf returns the manifest of a bundle.
func manifestOf(text []byte) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	f, err := archive.Open("manifest.json")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, "manifest.json")
}
