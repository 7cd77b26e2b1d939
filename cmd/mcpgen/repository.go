package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpgen/mcpgen/gen/config"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/yaml"
)

// configName is the file that describes what a repository generates, and its policy for diff.
const configName = "mcpgen.yaml"

// repositoryHelp describes the member generate of mcpgen.yaml.
const repositoryHelp = `mcpgen.yaml lists what a repository generates. Its paths are relative to the file:

  generate:
    - tools: tools.yaml           # the tool list; default: tools.json
      server: .                   # the folder of a server, as for mcpgen server --out
    - tools: tools.yaml
      client: internal/weather    # or that of a client, as for mcpgen client --out
      package: weather            # as for --package
      strict: true                # as for --strict
      big-integers: true          # as for --big-integers
      time: true                  # as for --time
    - tools: admin.json
      server: cmd/admin
      transport: stdio            # as for mcpgen server --transport; auth: true as for --auth
    - tools: tools.yaml
      typescript: web/weather     # the folder of a TypeScript client, as for mcpgen typescript --out
    - tools: tools.yaml
      readme: README.md           # tables between two lines of a page, as for mcpgen docs
      llms: llms.txt              # a reference, as for mcpgen docs`

// entry is an element of the member generate of mcpgen.yaml.
type entry struct {
	where string // its place, such as "mcpgen.yaml:3:5"
	kind  string // server, client or typescript, or "" for pages
	project
	documents
}

// entryReport is the report of an entry.
type entryReport interface {
	text(w io.Writer)
	stale() bool
}

func (o *outcome) stale() bool { return len(o.Differ) > 0 }
func (k *kept) stale() bool    { return k.checked && len(k.Differ) > 0 }

// readRepository reads the entries of mcpgen.yaml.
func readRepository(name string, src []byte) ([]entry, error) {
	var all []entry
	_, err := diff.ParseConfig(name, src, func(f *config.File) map[string]config.Reader {
		return map[string]config.Reader{"generate": func(n *yaml.Node) {
			before := f.Failed()
			f.Sequence(n, "generate", func(n *yaml.Node) {
				e := readEntry(f, n)
				for _, other := range all {
					if e.out != "" && filepath.Clean(e.out) == filepath.Clean(other.out) {
						f.Fail(n, "%s: the element at %s has the folder %s, too", e.kind, other.where, e.out)
					}
				}
				all = append(all, e)
			})
			if len(all) == 0 && f.Failed() == before {
				f.Fail(n, "generate: the list is empty; an element names a list and a folder, such as {tools: tools.json, server: .}")
			}
		}}
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		e := &all[i]
		for _, path := range []*string{&e.list, &e.out, &e.readme, &e.llms} {
			if *path != "" && !filepath.IsAbs(*path) && !strings.Contains(*path, "://") {
				*path = filepath.Join(filepath.Dir(name), filepath.FromSlash(*path))
			}
		}
	}
	return all, nil
}

func readEntry(f *config.File, n *yaml.Node) entry {
	e := entry{where: f.Where(n), project: project{list: "tools.json", transport: transportAll}}
	var folders []string
	folder := func(key string) config.Reader {
		return func(n *yaml.Node) {
			e.out, e.kind = f.Text(n, key), key
			folders = append(folders, key)
			if e.out == "" {
				f.Fail(n, "%s: expected a folder", key)
			}
		}
	}
	page := func(key string, path *string) config.Reader {
		return func(n *yaml.Node) {
			if *path = f.Text(n, key); *path == "" {
				f.Fail(n, "%s: expected a file", key)
			}
		}
	}
	before := f.Failed()
	keys := map[string]config.Reader{
		"tools":        page("tools", &e.list),
		"server":       folder("server"),
		"client":       folder("client"),
		"typescript":   folder("typescript"),
		"package":      func(n *yaml.Node) { e.pkg = f.Text(n, "package") },
		"strict":       func(n *yaml.Node) { e.strict = f.Bool(n, "strict") },
		"big-integers": func(n *yaml.Node) { e.big = f.Bool(n, "big-integers") },
		"time":         func(n *yaml.Node) { e.time = f.Bool(n, "time") },
		"auth": func(n *yaml.Node) {
			e.protected = f.Bool(n, "auth")
			e.open = !e.protected
		},
		"readme": page("readme", &e.readme),
		"llms":   page("llms", &e.llms),
		"title":  func(n *yaml.Node) { e.title = f.Text(n, "title") },
		"transport": func(n *yaml.Node) {
			e.transport, e.transportGiven = f.Text(n, "transport"), true
			if e.transport != transportAll && e.transport != transportStdio {
				f.Fail(n, "transport: expected all or stdio, found %q", e.transport)
			}
		},
	}
	at := map[string]*yaml.Node{}
	for key, read := range keys {
		keys[key] = func(n *yaml.Node) {
			at[key] = n
			read(n)
		}
	}
	f.Mapping(n, "generate", keys)
	switch {
	case f.Failed() > before:
		return e
	case len(folders) == 0 && e.pages():
	case len(folders) != 1 || e.pages():
		f.Fail(n, "generate: expected one of server, client and typescript, or readme and llms, in each element")
		return e
	}
	for _, key := range slices.Sorted(maps.Keys(at)) {
		if !slices.Contains(membersOf[e.kind], key) {
			f.Fail(at[key], "%s: has no effect with %s", key, cmp.Or(e.kind, "readme and llms"))
		}
	}
	if at["title"] != nil && e.llms == "" {
		f.Fail(at["title"], "title: has no effect with readme without llms")
	}
	return e
}

// membersOf has the members of an entry of each kind.
var membersOf = map[string][]string{
	"":           {"tools", "readme", "llms", "title"},
	"server":     {"tools", "server", "package", "strict", "big-integers", "time", "transport", "auth"},
	"client":     {"tools", "client", "package", "strict", "big-integers", "time"},
	"typescript": {"tools", "typescript"},
}

// repository is a run of generate or check.
type repository struct {
	config string
	check  bool
	old    selection // for the former meaning of the verb
	console
}

func generateCommand() *cobra.Command {
	r := &repository{}
	return r.command("generate", "Generate what mcpgen.yaml lists: servers, clients and pages", `Generate what mcpgen.yaml lists: servers, clients and pages.

`+repositoryHelp)
}

func checkCommand() *cobra.Command {
	r := &repository{check: true}
	return r.command("check", "Report whether what mcpgen.yaml lists is up to date", `Compare what mcpgen.yaml lists with what generate would write, without writing
anything. Differences are printed as unified diffs and make
the exit code 1.

`+repositoryHelp)
}

func (r *repository) command(name, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd) },
	}
	r.old.flags(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	r.console.flags(cmd)
	cmd.Flags().StringVar(&r.config, "config", configName, "file that lists what to generate")
	idle(cmd, "config", "has no effect with the flags of spec "+name, func([]string) bool { return r.former(cmd) })
	completeFiles(cmd, "config", "yaml", "yml")
	return cmd
}

func (r *repository) run(cmd *cobra.Command) error {
	entries, err := r.entries(cmd)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return r.renamed(cmd)
	}
	outcomes := []entryReport{}
	var errs []error
	stale := 0
	for i := range entries {
		done, err := r.make(cmd, &entries[i])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", entries[i].where, err))
			continue
		}
		if outcomes = append(outcomes, done); done.stale() {
			stale++
		}
	}
	err = r.report(cmd, outcomes, func(w io.Writer) {
		for _, done := range outcomes {
			if o, ok := done.(*outcome); ok && r.check && !o.stale() {
				fmt.Fprintf(w, "%s: ", o.Folder)
			}
			done.text(w)
		}
	})
	err = errors.Join(append(errs, err)...)
	if errors.Is(err, errFindings) && slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, errFindings) }) {
		return errors.New(err.Error()) // not only problems, so the exit code is that of a failure
	}
	if err != nil {
		return err
	}
	if stale > 0 {
		if !r.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d entries differ; run \"mcpgen generate\"\n", stale, len(entries))
		}
		return errFindings
	}
	return nil
}

// make generates or checks what an entry describes.
func (r *repository) make(cmd *cobra.Command, e *entry) (entryReport, error) {
	e.check, e.console = r.check, r.console
	switch {
	case e.pages():
		from := origin{quiet: r.quiet}
		name, c, err := from.described(cmd, []string{e.list})
		if err != nil {
			return nil, err
		}
		e.heading(name)
		return e.keep(cmd.Context(), c, r.check)
	case e.kind == "server":
		return e.server(cmd)
	case e.kind == "typescript":
		return e.typescript(cmd)
	}
	return e.writeClient(cmd)
}

// entries returns the entries of mcpgen.yaml. There are none if the verb was called in its former way: with the
// flags it had, or in a checkout of mcpgen, which has no such file.
func (r *repository) entries(cmd *cobra.Command) ([]entry, error) {
	if r.former(cmd) {
		return nil, nil
	}
	src, err := os.ReadFile(r.config)
	if errors.Is(err, fs.ErrNotExist) && !cmd.Flags().Changed("config") {
		if exists("spec/pins.json") {
			return nil, nil
		}
		return nil, fmt.Errorf("%w; it lists what to generate, see %s --help", err, cmd.CommandPath())
	}
	if err != nil {
		return nil, err
	}
	entries, err := readRepository(r.config, src)
	if err == nil && len(entries) == 0 {
		err = fmt.Errorf("%s: has no member \"generate\"", r.config)
	}
	return entries, err
}

// former reports whether a flag of the verb's former meaning is given.
func (r *repository) former(cmd *cobra.Command) bool {
	old := &cobra.Command{}
	new(selection).flags(old)
	before := false
	old.Flags().VisitAll(func(f *pflag.Flag) { before = before || given(cmd, f.Name) })
	return before
}

// renamed runs the verb that was moved under spec.
func (r *repository) renamed(cmd *cobra.Command) error {
	if !r.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: this is \"mcpgen spec %s\"; the next release will require that name\n", cmd.Name())
	}
	r.old.console = r.console
	if r.check {
		return r.old.check(cmd)
	}
	return r.old.generate(cmd)
}
