package skeleton

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// Each tool has files of its own, which do not depend on the other items of the list, so that
// a change of one tool changes its files and those that list all items. The types that several items
// have are in one file, which changes when the first two items have a type or the last two lose it.

// toolChecks returns the check functions of each tool, and those that tools share.
func (g *generator) toolChecks() (all [][]jen.Code, shared []jen.Code, err error) {
	groups := make([]check.Group, len(g.pkg.Tools))
	for i, t := range g.pkg.Tools {
		group := check.Group{Prefix: "check" + t.Go, At: t.Tool.Pointer, Owner: fmt.Sprintf("the tool %q", t.Tool.Name)}
		if g.serves {
			group.Roots = append(group.Roots, check.Root{Func: checkName(t.Input.Name), Schema: t.Tool.Input})
		}
		if t.Tool.Output != nil {
			group.Roots = append(group.Roots, check.Root{Func: checkName(outputName(t)), Schema: t.Tool.Output})
		}
		groups[i] = group
	}
	return check.Sharing(groups)
}

// tools renders the file of each tool: its definition, types, codecs and checks, and the method of a client.
func (g *generator) tools() ([]files.File, error) {
	checks, shared, err := g.toolChecks()
	if err != nil {
		return nil, err
	}
	sources := make([]code.Source, len(g.pkg.Tools))
	for i, t := range g.pkg.Tools {
		sources[i] = g.source(g.names["tool "+t.Go]+"_tool.gen.go", g.toolParts(t, checks[i]))
	}
	if len(g.pkg.Shared)+len(shared) > 0 {
		sources = append(sources, g.whole("shared.gen.go", declarations(g.pkg.Shared, shared)...))
	}
	return g.render(sources...)
}

// source returns a source whose items are functions that add something to a file.
func (g *generator) source(name string, parts []func(*jen.File)) code.Source {
	return code.Source{Name: name, Package: g.Package, From: g.Source, Items: len(parts), Fill: func(f *jen.File, first, end int) {
		for _, part := range parts[first:end] {
			part(f)
			f.Line()
		}
	}}
}

// toolParts returns the parts of a tool's file.
func (g *generator) toolParts(t typing.ToolTypes, checks []jen.Code) []func(*jen.File) {
	parts := []func(*jen.File){func(f *jen.File) { g.definition(f, t) }}
	if !g.serves {
		parts = append(parts, func(f *jen.File) { clientMethod(f, t) })
	}
	if t.Value != nil {
		parts = append(parts, func(f *jen.File) { g.box(f, t) })
	}
	if g.serves && t.Tool.Operation != nil {
		parts = append(parts, func(f *jen.File) { operation(f, t) })
	}
	return append(parts, declarations(t.Decls, checks)...)
}

// declarations returns the parts of a file that are the types, codecs and checks of an item.
func declarations(decls []*ir.Decl, checks []jen.Code) []func(*jen.File) {
	var parts []func(*jen.File)
	for _, d := range decls {
		parts = append(parts, func(f *jen.File) { emit.Types(f, d) })
	}
	for _, d := range decls {
		parts = append(parts, func(f *jen.File) { emit.Codecs(f, d) })
	}
	for _, c := range checks {
		parts = append(parts, func(f *jen.File) { f.Add(c) })
	}
	return parts
}

func checkName(decl string) string { return "check" + decl }

// toolName returns the name of the variable that holds a tool.
func toolName(t typing.ToolTypes) string { return "tool" + t.Go }

// definition renders the variable that holds a tool.
func (g *generator) definition(f *jen.File, t typing.ToolTypes) {
	item := itemLiteral{name: toolName(t), kind: "tool", key: t.Tool.Name}
	if g.serves {
		item.set("Input", checkName(t.Input.Name))
	}
	if t.Tool.Output != nil {
		item.set("Output", checkName(outputName(t)))
	}
	item.list("Scopes", t.Tool.Scopes)
	item.declare(f, fmt.Sprintf("the tool %q", t.Tool.Name), "tools/list")
}

// clientMethod renders the method of the client that calls a tool.
func clientMethod(f *jen.File, t typing.ToolTypes) {
	function, last := "CallContent", "contentOf"
	if t.Tool.Output != nil {
		function, last = "Call", "new("+decoded(t)+")"
	}
	call := fmt.Sprintf("tools.%s(ctx, c.caller, %s, in, %s)", function, toolName(t), last)
	if t.Value != nil {
		call = unboxName(t) + "(" + call + ")"
	}
	h := toolHandler(t)
	f.Add(code.Go("$1func (c *Client) $2$3 {\nreturn $4\n}", h.about("calls"), t.Go, h.signature("ctx"), call))
}

// fileNames returns the beginning of the names of the files of identifiers, by identifier. A
// name that is too long for some file systems, or that differs from another only in case or
// underscores, ends in a part of its checksum.
func fileNames(identifiers []string) map[string]string {
	const longest = 80
	count := map[string]int{}
	for _, id := range identifiers {
		count[snake(id)]++
	}
	names := map[string]string{}
	for _, id := range identifiers {
		name := snake(id)
		if len(name) > longest || count[name] > 1 {
			sum := sha256.Sum256([]byte(id))
			name = strings.ToValidUTF8(name[:min(len(name), longest)], "") + "_" + hex.EncodeToString(sum[:4])
		}
		names[id] = name
	}
	return names
}

// snake returns the words of a Go identifier in lower case, with underscores between them.
func snake(identifier string) string {
	letters := []rune(identifier)
	lower := func(i int) bool { return i < len(letters) && unicode.IsLower(letters[i]) }
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && letters[i-1] != '_' {
			plural := lower(i+1) && letters[i+1] == 's' && !lower(i+2) // as in URLs
			if !unicode.IsUpper(letters[i-1]) || lower(i+1) && !plural {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
