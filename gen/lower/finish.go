package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
)

// linkUnions sets Decl.Unions of all variants, and Union.Box. Unions of messages have no types.
func (l *lowerer) linkUnions() {
	for _, decl := range l.sortedDecls() {
		if u, ok := decl.Type.(*ir.Union); ok && !decl.Message {
			u.Box = true
			for _, v := range u.Variants {
				v.Decl.Unions = append(v.Decl.Unions, decl)
			}
		}
	}
}

// setRules sets Decl.Rules of the declarations whose schemas say more about the values than the ir.
// Declarations within one of them have rules of their own only if their schemas say more as well.
func (l *lowerer) setRules() {
	for decl, s := range l.origin {
		if saysMore(s) {
			decl.Rules = append([]string{s.Pointer}, s.Also...)
		}
	}
}

// saysMore reports whether a schema, or one within it, has a Source. It does not follow references
// to definitions.
func saysMore(s *schema.Schema) bool {
	return s != nil && (s.Source != "" || saysMore(s.Items) || saysMore(s.Additional) || slices.ContainsFunc(s.AnyOf, saysMore) ||
		slices.ContainsFunc(s.Properties, func(p schema.Property) bool { return saysMore(p.Schema) }))
}

// markChecked sets Decl.Checked for the types that have constraints that decoding does not
// check, or that hold values of such types.
func (l *lowerer) markChecked() {
	for changed := true; changed; {
		changed = false
		for _, d := range l.decls {
			if !d.Checked && declChecked(d) {
				d.Checked, changed = true, true
			}
		}
	}
}

func declChecked(d *ir.Decl) bool {
	if d.Rules != nil {
		return true
	}
	switch t := d.Type.(type) {
	case *ir.Object:
		return t.Closed || t.Additional != nil && Checked(t.Additional) || slices.ContainsFunc(t.Fields, func(f *ir.Field) bool { return f.Const != nil || Checked(f.Type) })
	case *ir.Union:
		return !t.Context || slices.ContainsFunc(t.Variants[:1], func(v *ir.Variant) bool { return v.Decl.Checked })
	}
	return Checked(d.Type)
}

// Checked reports whether Validate has something to check in values of the type.
func Checked(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.Enum, *ir.Scalar:
		return true
	case *ir.String:
		return t.Format != "" && t.Format != "byte" || t.Pattern != "" || t.Length != ir.Count{}
	case *ir.Integer:
		return t.Bounds != ir.Bounds{}
	case *ir.Number:
		return t.Bounds != ir.Bounds{}
	case *ir.Array:
		return t.Length != ir.Count{} || Checked(t.Elem)
	case *ir.Nullable:
		return Checked(t.Elem)
	case *ir.Map:
		return Checked(t.Elem)
	case *ir.Ref:
		return t.Decl.Checked
	}
	return false
}

// families assigns declarations to files by the words in their names. The first family with
// a matching word takes precedence.
var families = []struct {
	name  string
	words []string
}{
	{"lifecycle", []string{"Initialize", "Ping", "Implementation", "Capabilities", "Discover"}},
	{"tasks", []string{"Task"}},
	{"elicitation", []string{"Elicit", "EnumSchema", "EnumOption", "StringSchema", "NumberSchema", "BooleanSchema", "PrimitiveSchema", "InputRe"}},
	{"jsonrpc", []string{"JSONRPC", "RequestId", "Error"}},
	{"sampling", []string{"Sampling", "CreateMessage", "Model", "ToolUse", "ToolResultContent", "ToolChoice", "IncludeContext"}},
	{"tools", []string{"Tool"}},
	{"prompts", []string{"Prompt"}},
	{"resources", []string{"Resource", "Subscri", "Unsubscri", "Root"}},
	{"utilities", []string{"Log", "SetLevel", "Progress", "Cancel", "Complet", "Paginat", "Cursor"}},
	{"content", []string{"Content", "Annotat", "Role", "Icon"}},
	{"messages", []string{"Client", "Server", "Result", "Request", "Notification", "Meta", "JSON", "Base"}},
}

func (l *lowerer) assignFamilies(r *ir.Revision) {
	for _, d := range r.Decls {
		d.Family = family(d.Name)
	}
}

func family(name string) string {
	for _, f := range families {
		if slices.ContainsFunc(f.words, func(word string) bool { return strings.Contains(name, word) }) {
			return f.name
		}
	}
	return "messages"
}

// PackageNames lists the identifiers that every generated package declares.
var PackageNames = []string{
	"Revision", "Methods", "New", "Server", "Client", "UnimplementedServer", "UnimplementedClient",
	"ServerCaller", "ClientCaller", "NewServerCaller", "NewClientCaller", "BindServer", "BindClient", "BindBase",
	"ClientOptions", "Session",
}

// ClientOptions lists the fields of the generated ClientOptions that are not handlers of
// methods.
var ClientOptions = []string{"Name", "Version", "Title", "Capabilities", "Runtime", "Bind", "Lost"}

// nameIdentifiers names the constants of the enums, and fails if two other exported identifiers
// have the same name.
func (l *lowerer) nameIdentifiers(r *ir.Revision) {
	taken := map[string]string{}
	for _, name := range PackageNames {
		taken[name] = "every generated package"
	}
	claim := func(d *ir.Decl, name, by string) {
		if other, ok := taken[name]; ok {
			l.failName(d.Pointer, "%s needs the Go name %s, which %s has too; %s", by, name, other, l.nameRow(d.Path))
		}
		taken[name] = by
	}
	for _, d := range r.Decls {
		if d.HasType() {
			claim(d, d.Name, "the type at "+d.Path)
		}
	}
	for _, d := range r.Decls {
		if t, ok := d.Type.(*ir.Union); ok && !d.Message {
			claim(d, "Decode"+d.Name, "the decode function of "+d.Name)
			claim(d, d.Name+"Box", "the box of "+d.Name)
			if !t.Context {
				claim(d, "Unknown"+d.Name, "the unknown variant of "+d.Name)
			}
		}
	}
	for _, d := range r.Decls {
		enum, ok := d.Type.(*ir.Enum)
		if !ok || d.Import != "" {
			continue
		}
		values := make([]string, len(enum.Values))
		for i, v := range enum.Values {
			values[i] = v.Wire
		}
		for i, name := range l.names.Constants(d.Name, values, func(name string) bool { return taken[name] != "" }) {
			enum.Values[i].Go = name
			taken[name] = d.Path
		}
	}
	l.checkMethods(r)
}

// checkMethods fails if two methods have the same Go name, or if a method has the name of another field
// of ClientOptions.
func (l *lowerer) checkMethods(r *ir.Revision) {
	functions := map[string]string{}
	for _, m := range r.Methods {
		if other, ok := functions[m.Go]; ok {
			l.failName(l.defined[m.Definition].Pointer, "methods %q and %q have the Go name %s; %s", m.Wire, other, m.Go, l.nameRow(m.Definition))
		}
		functions[m.Go] = m.Wire
		if m.ToClient && slices.Contains(ClientOptions, m.Go) {
			l.failName(l.defined[m.Definition].Pointer, "method %q has the Go name %s, which ClientOptions has too; %s", m.Wire, m.Go, l.nameRow(m.Definition))
		}
	}
	for _, m := range r.Methods {
		if m.Plain == nil {
			continue
		}
		if other, ok := functions[m.Result.Name]; ok {
			l.failName(l.defined[m.Definition].Pointer, "method %q has the Go name %s, which the results of %q have too", other, m.Result.Name, m.Wire)
		}
	}
}
