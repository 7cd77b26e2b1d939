// Package bundle describes a server for those who install it: as an MCP bundle (MCPB), a zip file with
// the programs and a manifest that desktop hosts install, and as server.json, the entry of the MCP
// registry.
package bundle

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/catalog"
)

// Server holds the facts about a server that both files contain.
type Server struct {
	// Name is the name in the registry: a domain in reverse order, a slash and a name, such as
	// "io.github.ada/weather".
	Name string
	// Title is a name for display, or "".
	Title string
	// Description has at most 100 characters.
	Description string
	// Version is one version, not a range.
	Version string
	// Author is the name of a person or an organization.
	Author string
	// Repository and Website are URLs, or "".
	Repository, Website string
	// License is an SPDX identifier, or "".
	License string
	// Variables are the environment variables that the server reads.
	Variables []Variable
	// Offers is what the server offers.
	Offers *catalog.Catalog
}

// Variable is an environment variable whose value the user enters.
type Variable struct {
	Name, Description string
	Secret            bool
}

// Program is the program of a server for one system.
type Program struct {
	// OS is linux, darwin or windows.
	OS string
	// File is the path of the program in the bundle.
	File string
}

// Target is a system for which Go builds programs.
type Target struct{ OS, Arch string }

func (t Target) String() string { return t.OS + "/" + t.Arch }

// platforms are the names of systems in manifests.
var platforms = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}

// ParseTargets reads systems such as "linux/amd64,darwin/arm64". A bundle has one program for each
// operating system, because a manifest cannot distinguish processors.
func ParseTargets(list string) ([]Target, error) {
	var all []Target
	seen := map[string]string{}
	for text := range strings.SplitSeq(list, ",") {
		os, arch, ok := strings.Cut(strings.TrimSpace(text), "/")
		switch {
		case !ok || os == "" || arch == "":
			return nil, fmt.Errorf("%q: expected an operating system and a processor, such as linux/amd64", text)
		case platforms[os] == "":
			return nil, fmt.Errorf("%q: bundles are for linux, darwin and windows", text)
		case seen[os] != "":
			return nil, fmt.Errorf("%q: the bundle has a program for %s already (%s); make a bundle for each processor", text, os, seen[os])
		}
		seen[os] = text
		all = append(all, Target{os, arch})
	}
	return all, nil
}

// Base returns the last part of the name, which names files.
func (s *Server) Base() string { return path.Base(s.Name) }

// File returns the path in a bundle of the program for a target.
func (s *Server) File(t Target) string {
	name := s.Base()
	if t.OS == "windows" {
		name += ".exe"
	}
	return "server/" + t.OS + "-" + t.Arch + "/" + name
}

var (
	nameForm     = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	versionRange = regexp.MustCompile(`^[\^~<>=]|^latest$|[*|]|(^|\.)x($|\.)| `)
)

// The limits of the registry, in characters.
const (
	longestName        = 200
	longestDescription = 100
	longestVersion     = 255
)

// Check returns an error for each field that the registry or a host would refuse.
func (s *Server) Check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !nameForm.MatchString(s.Name) || len(s.Name) > longestName {
		fail("the name %q must be a domain in reverse order, a slash and a name, such as io.github.ada/weather", s.Name)
	}
	if n := utf8.RuneCountInString(s.Description); n == 0 || n > longestDescription {
		fail("the description has %d characters, must have 1 to %d", n, longestDescription)
	}
	if n := utf8.RuneCountInString(s.Title); n > longestDescription {
		fail("the title has %d characters, may have %d", n, longestDescription)
	}
	if s.Version == "" || len(s.Version) > longestVersion || versionRange.MatchString(s.Version) {
		fail("the version %q must be one version, such as 1.0.0", s.Version)
	}
	if s.Author == "" {
		fail("the author is missing")
	}
	for _, address := range []string{s.Repository, s.Website} {
		if address != "" && !isWeb(address) {
			fail("%q is not a URL of a page", address)
		}
	}
	seen := map[string]bool{}
	for _, v := range s.Variables {
		if !variableForm.MatchString(v.Name) {
			fail("the environment variable %q must consist of letters, digits and underscores", v.Name)
		} else if seen[strings.ToLower(v.Name)] {
			fail("the environment variable %s is named twice", v.Name)
		}
		seen[strings.ToLower(v.Name)] = true
	}
	return errors.Join(errs...)
}

// isWeb reports whether a text is an http or https URL.
func isWeb(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// Content is a file of a bundle.
type Content struct {
	File    string
	Program bool // it can be run
	WriteTo func(w io.Writer) error
}

// Pack writes a bundle. Equal contents make equal bundles.
func Pack(w io.Writer, contents []Content) error {
	z := zip.NewWriter(w)
	for _, c := range contents {
		h := &zip.FileHeader{Name: c.File, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o644)
		if c.Program {
			h.SetMode(0o755)
		}
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if err := c.WriteTo(f); err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
	}
	return z.Close()
}

// title returns the name for display.
func (s *Server) title() string { return cmp.Or(s.Title, s.Base()) }
