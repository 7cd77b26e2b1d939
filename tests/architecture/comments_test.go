package architecture

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// documented is an exported identifier and its doc comment.
type documented struct {
	name string
	doc  string
}

// TestComments checks that every exported identifier under generated/ has a doc comment: types,
// functions, methods, fields, constants and variables.
func TestComments(t *testing.T) {
	found := identifiers(t)
	for _, id := range found {
		if strings.TrimSpace(id.doc) == "" {
			t.Errorf("%s has no doc comment", id.name)
		}
	}
	t.Logf("%d identifiers", len(found))
}

// TestAbsentInComments checks that the doc comment of a field mentions nil only if the field's
// type has a nil value.
func TestAbsentInComments(t *testing.T) {
	noNil := map[string]bool{"string": true, "Raw": true, "Object": true, "Scalar": true}
	speaks := regexp.MustCompile(`\bnil\b|\{absent\}`)
	checked := 0
	for path, text := range generatedFiles(t) {
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || len(field.Names) != 1 {
				return true
			}
			name := ""
			switch typ := field.Type.(type) {
			case *ast.Ident:
				name = typ.Name
			case *ast.SelectorExpr:
				name = typ.Sel.Name
			}
			if noNil[name] {
				checked++
				if speaks.MatchString(field.Doc.Text()) {
					t.Errorf("%s: %s is a %s: %s", path, field.Names[0], name, field.Doc.Text())
				}
			}
			return true
		})
	}
	if checked == 0 {
		t.Error("no field was checked")
	}
}

// TestUpstreamProse checks that no sentence of four words or more in a doc comment is copied
// from a description of an upstream schema.
func TestUpstreamProse(t *testing.T) {
	shared := cmp.Or(os.Getenv("MCPGEN_SHARED"), filepath.Join(root(t), "..", "shared"))
	if !filepath.IsAbs(shared) {
		shared = filepath.Join(root(t), shared)
	}
	files, err := filepath.Glob(filepath.Join(shared, "upstream", "*", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the upstream schemas are not available")
	}
	var prose strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(src, &tree); err != nil {
			t.Fatal(err)
		}
		descriptions(tree, func(text string) { prose.WriteString(" " + words(text) + " |") })
	}
	all := prose.String()
	sentences := 0
	for _, id := range identifiers(t) {
		for _, sentence := range split(id.doc) {
			text := words(sentence)
			if strings.Count(text, " ") < 3 {
				continue
			}
			sentences++
			if strings.Contains(all, " "+text+" ") {
				t.Errorf("%s: copied from the upstream: %q", id.name, sentence)
			}
		}
	}
	t.Logf("%d sentences, %d upstream files", sentences, len(files))
}

// descriptions calls f for every description in a schema.json.
func descriptions(tree any, f func(text string)) {
	switch v := tree.(type) {
	case map[string]any:
		if text, ok := v["description"].(string); ok {
			f(text)
		}
		for _, child := range v {
			descriptions(child, f)
		}
	case []any:
		for _, child := range v {
			descriptions(child, f)
		}
	}
}

// split splits a comment into its sentences and paragraphs.
func split(doc string) []string {
	var all []string
	for paragraph := range strings.SplitSeq(doc, "\n\n") {
		paragraph = strings.Join(strings.Fields(paragraph), " ")
		start := 0
		for i, r := range paragraph {
			if strings.ContainsRune(".!?:;", r) && (i+1 == len(paragraph) || paragraph[i+1] == ' ') {
				all = append(all, paragraph[start:i+1])
				start = i + 1
			}
		}
		all = append(all, paragraph[start:])
	}
	return all
}

// words returns the letters and digits of a text in lower case, with one space between words,
// so that sentences compare equal regardless of case and punctuation.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// identifiers lists the exported identifiers of generated/.
func identifiers(t *testing.T) []documented {
	t.Helper()
	var all []documented
	files := generatedFiles(t)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(token.NewFileSet(), path, files[path], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		add := func(name string, docs ...*ast.CommentGroup) {
			var text string
			for _, doc := range docs {
				text = cmp.Or(text, doc.Text())
			}
			all = append(all, documented{filepath.Dir(path) + "." + name, text})
		}
		if name := filepath.Base(path); name == "doc.go" || name == "revisions.go" || name == "compat.go" {
			add("package", file.Doc)
		}
		for _, decl := range file.Decls {
			exported(decl, add)
		}
	}
	return all
}

// exported returns the exported identifiers of a declaration.
func exported(decl ast.Decl, add func(name string, docs ...*ast.CommentGroup)) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		receiver := ""
		if decl.Recv != nil {
			receiver = typeName(decl.Recv.List[0].Type)
			if !ast.IsExported(receiver) {
				return
			}
			receiver += "."
		}
		if decl.Name.IsExported() {
			add(receiver+decl.Name.Name, decl.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					add(spec.Name.Name, spec.Doc, decl.Doc)
					exportedMembers(spec, add)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					switch {
					case !name.IsExported():
					case decl.Lparen.IsValid():
						add(name.Name, spec.Doc) // a comment on the group documents none of its members
					default:
						add(name.Name, spec.Doc, decl.Doc)
					}
				}
			}
		}
	}
}

// exportedMembers returns the exported fields of a struct or methods of an interface.
func exportedMembers(spec *ast.TypeSpec, add func(name string, docs ...*ast.CommentGroup)) {
	var members *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		members = t.Fields
	case *ast.InterfaceType:
		members = t.Methods
	default:
		return
	}
	for _, member := range members.List {
		for _, name := range member.Names {
			if name.IsExported() {
				add(spec.Name.Name+"."+name.Name, member.Doc, member.Comment)
			}
		}
	}
}

func typeName(expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
