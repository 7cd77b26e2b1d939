package emit

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
)

// packages has the import paths of the packages that [Go] knows, by their names.
var packages = byName("context", "errors", "iter", "log/slog", "slices", "testing", PackagePath(""), PackagePath("compat"), PackagePath("mcp"),
	runtimePath, catalogPath, convertPath, jsonrpcPath, runtimePath+"/rest", schemaPath, runtimePath+"/tasks", runtimePath+"/tools", runtimePath+"/tools/contract", wirePath)

func byName(paths ...string) map[string]string {
	all := map[string]string{}
	for _, p := range paths {
		all[path.Base(p)] = p
	}
	return all
}

// pasted matches what Go replaces in a text.
var pasted = regexp.MustCompile(`\$[1-9]|\b(?:` + strings.Join(slices.Collect(maps.Keys(packages)), "|") + `)\.[A-Z]\w*`)

// Go renders source text, for declarations and statements of which hardly anything varies. The text names packages as
// source does, as in wire.Raw. $1 stands for the first of the parts, and so on: a jen.Code, or a string that is pasted.
func Go(text string, parts ...any) *jen.Statement {
	for i, part := range parts {
		if name, ok := part.(string); ok {
			text = strings.ReplaceAll(text, "$"+strconv.Itoa(i+1), name)
		}
	}
	s, done := jen.Null(), 0
	for _, at := range pasted.FindAllStringIndex(text, -1) {
		s.Op(text[done:at[0]])
		if name, member, ok := strings.Cut(text[at[0]:at[1]], "."); ok {
			s.Qual(packages[name], member)
		} else {
			s.Add(parts[name[1]-'1'].(jen.Code))
		}
		done = at[1]
	}
	return s.Op(text[done:])
}

// Declare adds a blank line, a doc comment and a declaration of source text.
func Declare(f *jen.File, text, source string, parts ...any) {
	f.Line()
	f.Add(Comment(text))
	f.Add(Go(source, parts...))
}
