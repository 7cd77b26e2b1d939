package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

// The files of the user that --transport and --auth are about.
const (
	mainFile = "main.go"
	httpFile = "http.go"
)

// servesHTTP lists the packages that a program imports to serve HTTP, and protectsHTTP the names that it uses to let in
// only clients with access tokens.
var servesHTTP = []string{"net/http", modulePath + "/runtime/streamable"}

var protectsHTTP = []string{modulePath + "/runtime/auth.NewGuard", modulePath + "/runtime/auth.Guard"}

// isProtected reports whether a program lets in only clients with access tokens, as far as its files say.
func (p *project) isProtected() bool {
	return slices.ContainsFunc(protectsHTTP, func(name string) bool { return p.survey.Uses[name] })
}

// isServed reports whether a program serves HTTP, as far as its files say.
func (p *project) isServed() bool {
	return p.survey.CallsHTTP || slices.ContainsFunc(servesHTTP, func(path string) bool { return p.survey.Imports[path] })
}

// serve adds to a plan what --transport and --auth ask of the files of an existing program. It replaces those that
// are as mcpgen has written them, also under other names, and returns a [problem] if one that the user has edited
// would have to change.
func (p *project) serve(plan *files.Plan, o skeleton.UserOptions) error {
	var asked string
	var names []string
	switch {
	case p.pkg != "main" && p.protected:
		return fmt.Errorf(noProgram, "auth", p.pkg)
	case p.pkg != "main" && p.transportGiven:
		return fmt.Errorf(noProgram, "transport", p.pkg)
	case p.open && p.isProtected():
		name := cmp.Or(p.survey.HTTP, httpFile)
		return problem{fmt.Sprintf("--auth=false changes nothing in %s, because %s demands access tokens, and nothing was written: delete that file and run the command again to let in everybody", p.out, name)}
	case p.protected && !p.isProtected():
		asked, names = "--auth", []string{httpFile}
		if p.survey.Main != "" && !p.survey.CallsHTTP {
			names = append(names, mainFile)
		}
	case p.transportGiven && p.transport == transportStdio && p.isServed(),
		p.transportGiven && p.transport == transportAll && p.survey.Main != "" && !p.isServed():
		asked, names = "--transport "+p.transport, []string{mainFile, httpFile}
	default:
		return nil
	}
	o.Auth = p.protected || p.isProtected()
	wanted, former, err := p.variants(o)
	if err != nil {
		return err
	}
	plan.Former = map[string][][]byte{}
	var edited []string
	var diffs []byte
	place := map[string]string{mainFile: cmp.Or(p.survey.Main, mainFile), httpFile: cmp.Or(p.survey.HTTP, httpFile)}
	for _, of := range names {
		name := place[of]
		text, planned := wanted[of]
		old, err := os.ReadFile(filepath.Join(p.out, name))
		untouched := slices.ContainsFunc(former[of], func(former []byte) bool { return files.Same(former, old) })
		if err == nil && !untouched {
			if !slices.Contains(edited, name) {
				edited = append(edited, name)
			}
			if name != of { // mcpgen has not written the rest of the file
				old = former[of][slices.IndexFunc(former[of], func(former []byte) bool { return !bytes.Equal(former, text) })]
			}
			change := files.Change{Path: name, Old: old, New: text, Kind: "modify"}
			if !planned {
				change.Kind = "remove"
			}
			diffs = append(diffs, change.Diff()...)
		}
		plan.Former[name] = former[of]
		plan.Users = slices.DeleteFunc(plan.Users, func(f files.File) bool { return f.Path == name })
		if planned {
			plan.Users = append(plan.Users, files.File{Path: name, Content: text})
		}
	}
	if len(edited) == 0 {
		return nil
	}
	return problem{fmt.Sprintf("%s changes nothing in %s, because you have edited %s, and nothing was written: delete %s and run the command again, or make this change:\n\n%s",
		asked, p.out, strings.Join(edited, " and "), them(len(edited)), bytes.TrimRight(diffs, "\n"))}
}

const noProgram = "--%s has no effect on package %s, which is not a program: the program that serves it decides"

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// variants returns the files of serving that the options ask for, and all texts that mcpgen writes for them.
func (p *project) variants(o skeleton.UserOptions) (wanted map[string][]byte, former map[string][][]byte, err error) {
	wanted, former = map[string][]byte{}, map[string][][]byte{}
	o.Survey = &skeleton.Survey{Implementations: o.Survey.Implementations} // as if the folder had no program
	for _, v := range []struct{ http, auth bool }{{false, false}, {true, false}, {true, true}} {
		variant := o
		variant.HTTP, variant.Auth = v.http, v.auth
		all, err := skeleton.User(variant)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range all {
			if f.Path != mainFile && f.Path != httpFile {
				continue
			}
			former[f.Path] = append(former[f.Path], f.Content)
			if v.http == o.HTTP && v.auth == (o.Auth && o.HTTP) {
				wanted[f.Path] = f.Content
			}
		}
	}
	return wanted, former, nil
}

// unguarded returns a remark if the list has scopes that nothing demands.
func (p *project) unguarded() []string {
	n := 0
	for _, t := range p.file.List.Tools {
		n += min(len(t.Scopes), 1)
	}
	for _, i := range p.file.List.Items {
		n += min(len(i.Scopes), 1)
	}
	bare := p.transportGiven && p.transport == transportStdio // now, whatever it was
	if n == 0 || p.pkg != "main" || p.protected || p.isProtected() && !bare {
		return nil
	}
	return []string{fmt.Sprintf("%s of the list %s x-mcp-scopes, which nothing demands: the program lets in clients without access tokens; --auth protects it", report.Plural(n, "item"), hasOrHave(n))}
}

func hasOrHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// drifted returns a remark for each line //go:generate of the user's files that would generate something else.
func (p *project) drifted() []string {
	list, err := p.fromOut()
	if err != nil {
		return nil
	}
	var lines []string
	for _, command := range p.survey.Generate {
		words, err := splitWords(command)
		at := slices.Index(words, "server")
		if err != nil || at < 0 {
			continue
		}
		said := serverCommand()
		if said.ParseFlags(words[at+1:]) != nil {
			continue
		}
		var differs []string
		for flag, want := range map[string]string{"tools": list, "big-integers": fmt.Sprint(p.big), "time": fmt.Sprint(p.time)} {
			if got := said.Flags().Lookup(flag).Value.String(); got != want && p.list != "-" {
				differs = append(differs, fmt.Sprintf("--%s %s", flag, got))
			}
		}
		if slices.Sort(differs); len(differs) > 0 {
			lines = append(lines, fmt.Sprintf("\"go generate\" will run %q, with %s; change the line if that is not meant", command, strings.Join(differs, " and ")))
		}
	}
	return lines
}
