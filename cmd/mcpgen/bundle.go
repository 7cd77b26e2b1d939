package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/bundle"
	"github.com/mcpgen/mcpgen/gen/files"
)

// bundler is one run of bundle.
type bundler struct {
	list, folder, out string
	server            bundle.Server
	targets           string
	release           string
	published         bundle.Published
	plain, secret     []string
	console
}

func bundleCommand() *cobra.Command {
	var b bundler
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Build a server as a bundle (MCPB), with its entry for the MCP registry",
		Long: `Build the server in a folder for several systems, and write to --out

  NAME-VERSION.mcpb  an MCP bundle, which desktop hosts install: a manifest and a
                     program for each system, which is run over stdio
  server.json        the entry of the server in the MCP registry

--env and --secret name environment variables of the server, whose values the user
enters, with a description: --secret "API_KEY=the key of your account".

The entry names the bundle if --release is the URL of the folder where it will be
published, such as https://github.com/ada/weather/releases/download/v1.0.0, and a
running server with --remote. Equal sources and versions of Go make equal bundles.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&b.list, "tools", "tools.json", "`FILE` with the tool list")
	f.StringVar(&b.folder, "server", ".", "`FOLDER` of the server, a Go program")
	f.StringVarP(&b.out, "out", "o", "dist", "`FOLDER` for the bundle and the entry")
	f.StringVar(&b.server.Name, "name", "", "name in the registry, such as io.github.ada/weather")
	f.StringVar(&b.server.Title, "title", "", "name for display")
	f.StringVar(&b.server.Description, "description", "", "what the server does, in at most 100 characters")
	f.StringVar(&b.server.Version, "version", "", "version of the server, such as 1.0.0")
	f.StringVar(&b.server.Author, "author", "", "name of a person or an organization")
	f.StringVar(&b.server.Repository, "repository", "", "`URL` of the source code")
	f.StringVar(&b.server.Website, "website", "", "`URL` of a page about the server")
	f.StringVar(&b.server.License, "license", "", "SPDX identifier of the license")
	f.StringVar(&b.targets, "targets", "linux/amd64,darwin/arm64,windows/amd64", "systems, at most one of each operating system")
	f.StringArrayVar(&b.plain, "env", nil, "environment variable of the server, as `NAME=DESCRIPTION`")
	f.StringArrayVar(&b.secret, "secret", nil, "environment variable with a secret, as `NAME=DESCRIPTION`")
	f.StringVar(&b.release, "release", "", "`URL` of the folder where the bundle will be published")
	f.StringVar(&b.published.Remote, "remote", "", "`URL` of the server over Streamable HTTP")
	b.console.flags(cmd)
	for _, flag := range []string{"name", "description", "version", "author"} {
		must(cmd.MarkFlagRequired(flag))
	}
	completeFiles(cmd, "tools", "json", "yaml", "yml")
	completeFolders(cmd, "server")
	completeFolders(cmd, "out")
	return cmd
}

// bundled is the report of bundle.
type bundled struct {
	Bundle  string   `json:"bundle"`
	Size    int      `json:"size"` // in bytes
	SHA256  string   `json:"sha256"`
	Targets []string `json:"targets"`
	Entry   string   `json:"entry"`
}

func (b bundled) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %.1f MB, sha256 %s\n%s\n", b.Bundle, strings.Join(b.Targets, " "), float64(b.Size)/1e6, b.SHA256, b.Entry)
}

func (b *bundler) run(cmd *cobra.Command) error {
	targets, err := bundle.ParseTargets(b.targets)
	if err != nil {
		return fmt.Errorf("--targets: %w", err)
	}
	b.variables(b.plain, false)
	b.variables(b.secret, true)
	if err := b.server.Check(); err != nil {
		return err
	}
	entryFile := filepath.Join(b.out, "server.json")
	if old, err := os.ReadFile(entryFile); err == nil && !bytes.Contains(old, []byte("server.schema.json")) {
		return fmt.Errorf("%s: is not an entry of the MCP registry, so it is not overwritten", entryFile)
	}
	from := origin{quiet: b.quiet}
	if _, b.server.Offers, err = from.described(cmd, []string{b.list}); err != nil {
		return err
	}
	content, err := b.pack(cmd, targets)
	if err != nil {
		return err
	}
	name := b.server.Base() + "-" + b.server.Version + ".mcpb"
	sum := sha256.Sum256(content)
	b.published.SHA256 = hex.EncodeToString(sum[:])
	if b.release != "" {
		b.published.Bundle = strings.TrimSuffix(b.release, "/") + "/" + name
	}
	entry, err := b.server.Entry(b.published)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return err
	}
	if err := replace(cmd.Context(), b.out, files.File{Path: name, Content: content}, files.File{Path: "server.json", Content: entry}); err != nil {
		return err
	}
	done := bundled{
		Bundle: filepath.Join(b.out, name), Size: len(content), SHA256: b.published.SHA256, Entry: filepath.Join(b.out, "server.json"),
	}
	for _, t := range targets {
		done.Targets = append(done.Targets, t.String())
	}
	return b.report(cmd, done, done.text)
}

// variables adds environment variables that were given as NAME=DESCRIPTION.
func (b *bundler) variables(given []string, secret bool) {
	for _, text := range given {
		name, about, _ := strings.Cut(text, "=")
		b.server.Variables = append(b.server.Variables, bundle.Variable{Name: name, Description: about, Secret: secret})
	}
}

// pack builds the programs and returns the bundle.
func (b *bundler) pack(cmd *cobra.Command, targets []bundle.Target) ([]byte, error) {
	work, err := os.MkdirTemp("", "mcpgen-bundle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	var programs []bundle.Program
	var contents []bundle.Content
	for _, t := range targets {
		file := b.server.File(t)
		built := filepath.Join(work, filepath.FromSlash(file))
		if !b.quiet { // the first build for a system takes minutes, since it compiles the standard library
			fmt.Fprintf(cmd.ErrOrStderr(), "mcpgen: building for %s\n", t)
		}
		if err := build(cmd.Context(), b.folder, built, t); err != nil {
			return nil, err
		}
		programs = append(programs, bundle.Program{OS: t.OS, File: file})
		contents = append(contents, bundle.Content{File: file, Program: true, WriteTo: func(w io.Writer) error {
			f, err := os.Open(built)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		}})
	}
	manifest, err := b.server.Manifest(programs)
	if err != nil {
		return nil, err
	}
	contents = append([]bundle.Content{{File: "manifest.json", WriteTo: func(w io.Writer) error {
		_, err := w.Write(manifest)
		return err
	}}}, contents...)
	var packed bytes.Buffer
	err = bundle.Pack(&packed, contents)
	return packed.Bytes(), err
}

// build builds the Go program in a folder for a system.
func build(ctx context.Context, folder, out string, t bundle.Target) error {
	if info, err := os.Stat(folder); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s: not a folder", folder)
	}
	tool := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOOS="+t.OS, "GOARCH="+t.Arch, "CGO_ENABLED=0")
		text, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("go %s of %s for %s: %w\n%s", args[0], folder, t, err, bytes.TrimSpace(text))
		}
		return strings.TrimSpace(string(text)), nil
	}
	if name, err := tool("list", "-f", "{{.Name}}", "."); err != nil {
		return err
	} else if name != "main" {
		return fmt.Errorf("%s is not a program: its package is %s", folder, name)
	}
	_, err := tool("build", "-trimpath", "-ldflags", "-s -w", "-o", out, ".")
	return err
}
