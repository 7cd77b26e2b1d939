package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// declared is what the generated client declares under an exported name.
type declared struct {
	// tool is the tool that the name belongs to, or "".
	tool string
	// is is the declaration in Go, without its name.
	is string
	// of is the member that a field is of, or the value of a constant.
	of string
}

// compareGo adds findings about what the generated client declares otherwise than before, as far as
// programs notice it: names that it no longer has, and those whose types have changed or that stand for something else.
func compareGo(r *diff.Report, old, new *tools.List) {
	was, err := goAPI(old)
	if err == nil {
		var is map[string]declared
		if is, err = goAPI(new); err == nil {
			for _, name := range slices.Sorted(maps.Keys(was)) {
				of, _, _ := strings.Cut(name, ".")
				_, there := is[of]
				switch now, same := is[name]; {
				case same && now.is == was[name].is && now.of != was[name].of:
					r.AddCode(was[name].tool, name, was[name].is+" of "+was[name].of, now.is+" of "+now.of)
				case same && now.is == was[name].is, !there && of != name:
				case same:
					r.AddCode(was[name].tool, name, was[name].is, now.is)
				default:
					r.AddCode(was[name].tool, name, was[name].is, "gone")
				}
			}
		}
	}
	if err != nil {
		r.Skipped = append(r.Skipped, diff.Skipped{Where: diff.Place{Path: "generated code"}, Why: err.Error()})
	}
}

// goAPI returns what the generated client of a list declares, by name. Fields and methods have the
// name of their type and a dot before them.
func goAPI(list *tools.List) (map[string]declared, error) {
	made, err := skeleton.Client(skeleton.Options{List: list, Source: "tools.json", Package: "client"})
	if err != nil {
		return nil, err
	}
	all := map[string]declared{}
	for _, f := range made.Files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		api := &goFile{tool: toolOf(file), all: all}
		for _, d := range file.Decls {
			api.declaration(d)
		}
	}
	return all, nil
}

// toolOf returns the tool or prompt that a generated file is about, or "": the Key of a tools.Item.
func toolOf(file *ast.File) (name string) {
	ast.Inspect(file, func(n ast.Node) bool {
		item, ok := n.(*ast.CompositeLit)
		if !ok || name != "" {
			return name == ""
		}
		if types.ExprString(item.Type) != "tools.Item" {
			return true
		}
		members := map[string]string{}
		for _, member := range item.Elts {
			pair := member.(*ast.KeyValueExpr)
			if value, ok := pair.Value.(*ast.BasicLit); ok {
				members[types.ExprString(pair.Key)], _ = strconv.Unquote(value.Value)
			}
		}
		if kind := members["Kind"]; kind == "tool" || kind == "prompt" {
			name = members["Key"]
		}
		return false
	})
	return name
}

// goFile collects what a generated file declares.
type goFile struct {
	tool string
	all  map[string]declared
}

func (g *goFile) add(name, is, of string) {
	if last := name[strings.LastIndexByte(name, '.')+1:]; ast.IsExported(last) {
		g.all[name] = declared{g.tool, is, of}
	}
}

func (g *goFile) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")
			if !ast.IsExported(receiver) {
				return
			}
			name = receiver + "." + name
		}
		g.add(name, types.ExprString(d.Type), "")
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				g.typed(s)
			case *ast.ValueSpec:
				for i, name := range s.Names {
					is, of := d.Tok.String(), ""
					if s.Type != nil {
						is += " " + types.ExprString(s.Type)
					}
					if d.Tok == token.CONST {
						of = types.ExprString(s.Values[i])
					}
					g.add(name.Name, is, of)
				}
			}
		}
	}
}

// typed adds a type, and the fields of a struct.
func (g *goFile) typed(s *ast.TypeSpec) {
	if !ast.IsExported(s.Name.Name) {
		return
	}
	fields, ok := s.Type.(*ast.StructType)
	if !ok {
		g.add(s.Name.Name, "type "+types.ExprString(s.Type), "")
		return
	}
	g.add(s.Name.Name, "type struct", "")
	for _, f := range fields.Fields.List {
		member := ""
		if f.Tag != nil {
			tag, _ := strconv.Unquote(f.Tag.Value)
			member, _, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		}
		for _, name := range f.Names {
			g.add(s.Name.Name+"."+name.Name, types.ExprString(f.Type), strconv.Quote(member))
		}
	}
}
