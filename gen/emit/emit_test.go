package emit

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// TestComment wraps text that is not trusted: each line must remain a comment, whatever the
// text contains.
func TestComment(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, tt := range []struct{ name, in, want string }{
		{"short", "One line.", "// One line."},
		{"paragraphs", "One.\n\nTwo.", "// One.\n//\n// Two."},
		{"lines are filled", "One\ntwo.", "// One two."},
		{"long", long, "// " + strings.Repeat("word ", 14) + "word\n// " + strings.Repeat("word ", 14) + "word"},
		{"carriage returns", "One.\r\n\r\nTwo.\r", "// One.\n//\n// Two."},
		{"a comment in it", "// One.\n/* two */", "// // One. /* two */"},
		{"one long word", strings.Repeat("x", 200), "// " + strings.Repeat("x", 200)},
		{"a directive", "go:generate rm", "// go:generate rm"},
		{"what Go source may not hold", "a\x00\x1b\ufeffb\tc", "// ab c"},
		{"nothing", " \n ", "//"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, code.CommentText(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTag(t *testing.T) {
	for _, tt := range []struct {
		wire     string
		required bool
		want     string
	}{
		{"name", true, "name"},
		{"name", false, "name,omitzero"},
		{"$ref", true, "$ref"},
		{"", true, "-"},
		{"-", true, "-"},
		{`a"b`, true, "-"},
		{"a,b", true, "-"},
		{"a\nb", false, "-"},
	} {
		if got := tag(&ir.Field{Wire: tt.wire, Required: tt.required}); got != tt.want {
			t.Errorf("tag of %q (required %t) = %q, want %q", tt.wire, tt.required, got, tt.want)
		}
	}
}

// TestProse renders a declaration whose doc comment would be code if any of its lines were
// not commented out.
func TestProse(t *testing.T) {
	decl := &ir.Decl{Name: "A", Path: "A", Definition: true, Family: "messages", Doc: "*/ }\n\nfunc init() { panic(1) } //", Type: &ir.Object{}}
	list, err := Revision(&ir.Revision{ID: "2099-01-01", Package: "p", Decls: []*ir.Decl{decl}}, "p")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, 0)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Scope.Lookup("init") != nil || strings.Contains(string(f.Content), "\nfunc init") {
			t.Errorf("%s: the comment became code:\n%s", f.Path, f.Content)
		}
	}
}

// TestManyMembers has more variants that differ by their members than one look-ahead can
// take.
func TestManyMembers(t *testing.T) {
	union := &ir.Union{}
	decision := &ir.ByPresence{}
	decls := []*ir.Decl{{Name: "U", Path: "U", Type: union, Family: "messages"}}
	for i := range 66 {
		member := fmt.Sprintf("m%d", i)
		d := &ir.Decl{Name: "V" + member, Path: "V" + member, Family: "messages", Unions: decls[:1]}
		d.Type = &ir.Object{Fields: []*ir.Field{{Wire: member, Go: "M", Type: &ir.Any{}, Required: true}}}
		v := &ir.Variant{Decl: d, Boxed: true}
		union.Variants = append(union.Variants, v)
		decision.Guards = append(decision.Guards, ir.Guard{Paths: [][]string{{member}}, Variant: v})
		decls = append(decls, d)
	}
	union.Decision = decision
	list, err := Revision(&ir.Revision{ID: "2099-01-01", Package: "p", Decls: decls}, "p")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range list {
		all.Write(f.Content)
	}
	for _, want := range []string{`"m63")`, `has2 := r.PeekHas("m64", "m65")`, "if has2&0b10 != 0 {\n\t\tv := new(Vm65)"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no %q in the generated code", want)
		}
	}
}
