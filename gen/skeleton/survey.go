package skeleton

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// Survey describes the user's files of a package, without the generated ones.
type Survey struct {
	// Package is the name of the package, or "" if there are no files.
	Package string
	// Main is the file with the function main; "" if there is none.
	Main string
	// Serves reports whether a function calls NewServer or ServerTools of the generated code.
	Serves bool
	// CallsHTTP reports whether a function calls serveHTTP, and HTTP is the file with that function; "" if there is none.
	CallsHTTP bool
	HTTP      string
	// Generate has the commands of the lines //go:generate that run a verb of mcpgen.
	Generate []string
	// Imports has the import paths of the files.
	Imports map[string]bool
	// Uses has the names of imported packages that the files mention, as "import/path.Name".
	Uses map[string]bool
	// Implementations lists the types for which a file asserts that they implement Tools,
	// as in "var _ Tools = (*handlers)(nil)", sorted.
	Implementations []string
	// Methods holds the names of the methods of each type, with those of the types of the package that it embeds.
	Methods map[string]map[string]bool
	// Handlers holds, by the name of the type, the names of the methods that have the form of a handler with typed
	// arguments, as in "GetWeather(ctx context.Context, in *GetWeatherInput)".
	Handlers map[string][]string
}

// NewSurvey parses Go files, given by name. It uses what it can parse of a file with
// errors, and ignores tests and files of other packages. It returns an error if the files
// belong to several packages.
func NewSurvey(sources map[string][]byte) (*Survey, error) {
	s := &Survey{Methods: map[string]map[string]bool{}, Handlers: map[string][]string{}, Imports: map[string]bool{}, Uses: map[string]bool{}}
	implementations, embedded := map[string]bool{}, map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		file, _ := parser.ParseFile(token.NewFileSet(), name, sources[name], parser.SkipObjectResolution|parser.ParseComments)
		if file == nil || file.Name == nil || file.Name.Name == "" || file.Name.Name == "_" {
			continue
		}
		if s.Package != "" && s.Package != file.Name.Name {
			return nil, fmt.Errorf("%s: package %s differs from package %s of the other files in the folder", name, file.Name.Name, s.Package)
		}
		s.Package = file.Name.Name
		s.Serves = s.Serves || calls(file, "NewServer", "ServerTools")
		s.CallsHTTP = s.CallsHTTP || calls(file, "serveHTTP")
		for _, group := range file.Comments {
			for _, comment := range group.List {
				if command, ok := strings.CutPrefix(comment.Text, "//go:generate "); ok && strings.Contains(command, "mcpgen") {
					s.Generate = append(s.Generate, command)
				}
			}
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				s.Imports[path] = true
			}
		}
		s.uses(file)
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				s.function(name, decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range asserted(spec) {
							implementations[name] = true
						}
					case *ast.TypeSpec:
						embedded[spec.Name.Name] = embeds(spec)
					}
				}
			}
		}
	}
	s.Implementations = slices.Sorted(maps.Keys(implementations))
	for changed := true; changed; { // an embedded type may embed others
		changed = false
		for _, outer := range slices.Sorted(maps.Keys(embedded)) {
			for _, inner := range embedded[outer] {
				for _, method := range s.Handlers[inner] {
					changed = s.method(outer, method, true) || changed
				}
				for method := range s.Methods[inner] {
					changed = s.method(outer, method, false) || changed
				}
			}
		}
	}
	return s, nil
}

// embeds returns the types of the package that a struct embeds.
func embeds(t *ast.TypeSpec) (names []string) {
	of, ok := t.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range of.Fields.List {
		if name := implementation(f.Type); f.Names == nil && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// method adds a method of a type, and reports whether it is new.
func (s *Survey) method(of, name string, handler bool) bool {
	if s.Methods[of][name] {
		return false
	}
	if s.Methods[of] == nil {
		s.Methods[of] = map[string]bool{}
	}
	s.Methods[of][name] = true
	if handler {
		s.Handlers[of] = append(s.Handlers[of], name)
	}
	return true
}

// calls reports whether a file calls one of the functions of its package.
func calls(file *ast.File, functions ...string) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name, ok := call.Fun.(*ast.Ident)
			found = found || ok && slices.Contains(functions, name.Name)
		}
		return !found
	})
	return found
}

// uses adds the names of imported packages that a file mentions.
func (s *Survey) uses(file *ast.File) {
	paths := map[string]string{}
	for _, spec := range file.Imports {
		text, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(text)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		paths[name] = text
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := selector.X.(*ast.Ident); ok && paths[of.Name] != "" {
				s.Uses[paths[of.Name]+"."+selector.Sel.Name] = true
			}
		}
		return true
	})
}

func (s *Survey) function(file string, f *ast.FuncDecl) {
	if f.Recv == nil {
		switch f.Name.Name {
		case "main":
			s.Main = file
		case "serveHTTP":
			s.HTTP = file
		}
		return
	}
	if len(f.Recv.List) != 1 {
		return
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		s.method(name.Name, f.Name.Name, isHandler(f))
	}
}

// isHandler reports whether the last parameter of a method is a pointer to its arguments: the type whose name is
// that of the method and a suffix, as in generated code.
func isHandler(f *ast.FuncDecl) bool {
	params := f.Type.Params.List
	if len(params) < 2 {
		return false
	}
	star, ok := params[len(params)-1].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	arguments, ok := star.X.(*ast.Ident)
	return ok && slices.ContainsFunc(typing.ArgumentSuffixes, func(suffix string) bool {
		item, ok := strings.CutSuffix(arguments.Name, suffix)
		return ok && (f.Name.Name == item || f.Name.Name == "Read"+item)
	})
}

// asserted returns the types that a "var _ Tools = value" asserts. A value may be
// (*handlers)(nil), &handlers{}, handlers{} or new(handlers).
func asserted(v *ast.ValueSpec) []string {
	if of, ok := v.Type.(*ast.Ident); !ok || of.Name != "Tools" {
		return nil
	}
	var names []string
	for _, value := range v.Values {
		if _, variable := value.(*ast.Ident); variable {
			continue
		}
		if name := implementation(value); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// implementation returns the type of a value, or "" if it is not evident.
func implementation(value ast.Expr) string {
	switch v := value.(type) {
	case *ast.Ident:
		return v.Name
	case *ast.UnaryExpr:
		if literal, ok := v.X.(*ast.CompositeLit); ok {
			return implementation(literal)
		}
	case *ast.StarExpr:
		return implementation(v.X)
	case *ast.ParenExpr:
		return implementation(v.X)
	case *ast.CompositeLit:
		return implementation(v.Type)
	case *ast.CallExpr:
		if name, ok := v.Fun.(*ast.Ident); !ok {
			return implementation(v.Fun)
		} else if name.Name == "new" && len(v.Args) == 1 {
			return implementation(v.Args[0])
		}
	}
	return ""
}
